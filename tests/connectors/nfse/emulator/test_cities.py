"""Cities: two that issue notes, others in certification."""


def test_cities_are_filtered_by_state_and_name(provider):
    page = provider.get("cities")
    assert {city["status"] for city in page["collection"]} == {"ok", "testing"}
    certified = {(city["name"], city["city_code"]) for city in page["collection"] if city["status"] == "ok"}
    assert certified == {("Rio de Janeiro", 3304557), ("São Paulo", 3550308)}
    assert [city["name"] for city in provider.get("cities?state=SP")["collection"]] == ["São Paulo"]
    assert provider.get("cities?name=Niter%C3%B3i&state=RJ")["count"] == 1
    assert provider.get("cities?name=Niter")["count"] == 0
    assert provider.get("cities?name=Sao%20Paulo&state=")["count"] == 1
    assert provider.call("GET", "/api/v1/cities?page=2")[0] == 404

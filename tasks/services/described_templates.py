"""Refuse rows whose description is the name of another template: the two have other codes and rates."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from connectors.ledger import parties as ledger_parties
from connectors.ledger.parties import EmitterRecord, TemplateRecord
from domain.issuing import RemoteTemplate
from domain.problems import Problem
from domain.texts import folded
from tasks.runtime import Runtime
from tasks.services.takers import Row


class DescribedTemplates:
    """Compares descriptions with the names of templates, which it looks up once for each emitter."""

    def __init__(
        self, runtime: Runtime, list_templates: Callable[[EmitterRecord], Awaitable[Sequence[RemoteTemplate]]]
    ) -> None:
        self._runtime, self._list_templates = runtime, list_templates
        self._names: dict[tuple[int, bool], dict[str, str]] = {}

    async def refuse(self, rows: Sequence[Row], emitters: Mapping[str, EmitterRecord]) -> None:
        """Add a problem to each row whose description is the name of another template. Skip rows with problems.

        A row with the run's template is compared with all templates of its emitter, because a column `Serviço` may
        contain templates. Another row is compared only with those that the ledger has seen, without a request.
        """
        for row in rows:
            emitter, description = emitters.get(row.line.emitter_cnpj or ""), row.line.description
            if emitter is None or description is None or row.line.template_name is None or row.problems:
                continue
            names = await self._names_of(emitter, asks_provider=bool(row.line.has_default_template))
            named = names.get(folded(description))
            if named is not None and folded(named) != folded(row.line.template_name):
                params = {"template": row.line.template_name, "named": named}
                row.problems.append(Problem("template.described", "description", params=params))

    async def _names_of(self, emitter: EmitterRecord, *, asks_provider: bool) -> Mapping[str, str]:
        """Return the names of the emitter's templates by folded name: the provider's, or the ledger's."""
        key = emitter.id, asks_provider
        if key not in self._names:
            ledger = self._runtime.ledger
            found: Sequence[RemoteTemplate | TemplateRecord] = (
                await self._list_templates(emitter)
                if asks_provider
                else await ledger.read_async(ledger_parties.templates_of, emitter.id)
            )
            self._names[key] = {folded(each.name): each.name for each in found}
        return self._names[key]

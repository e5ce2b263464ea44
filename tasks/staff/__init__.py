"""The people who work here: one way to know who acts, for every command and form, and the changes of enrolments."""

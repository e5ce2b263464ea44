-- The ledger's first tables on PostgreSQL, and what the database itself refuses.

CREATE TABLE account (
    id BIGSERIAL NOT NULL,
    uuid TEXT NOT NULL,
    name TEXT NOT NULL,
    bound_at BIGINT NOT NULL,
    CONSTRAINT pk_account PRIMARY KEY (id),
    CONSTRAINT ck_account_only_one CHECK (id = 1)
);

CREATE TABLE emitters (
    id BIGSERIAL NOT NULL,
    remote_id BIGINT NOT NULL,
    cnpj TEXT NOT NULL,
    name TEXT NOT NULL,
    city_code TEXT NOT NULL,
    is_active BOOLEAN NOT NULL,
    looked_at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    issuer TEXT NOT NULL,
    is_staged BOOLEAN NOT NULL,
    CONSTRAINT pk_emitters PRIMARY KEY (id),
    CONSTRAINT uq_emitters_issuer_remote_id UNIQUE (issuer, remote_id),
    CONSTRAINT uq_emitters_issuer_cnpj UNIQUE (issuer, cnpj),
    CONSTRAINT uq_emitters_id_kind_issuer_is_staged UNIQUE (id, kind, issuer, is_staged),
    CONSTRAINT ck_emitters_known_kind CHECK (kind IN ('nfce', 'nfe', 'service'))
);

CREATE TABLE events (
    id BIGSERIAL NOT NULL,
    entity TEXT NOT NULL,
    entity_id BIGINT NOT NULL,
    was TEXT,
    becomes TEXT NOT NULL,
    because TEXT NOT NULL,
    is_observed BOOLEAN NOT NULL,
    fence INTEGER,
    at BIGINT NOT NULL,
    CONSTRAINT pk_events PRIMARY KEY (id)
);
CREATE INDEX ix_events_entity_entity_id ON events (entity, entity_id);

CREATE TABLE files (
    id BIGSERIAL NOT NULL,
    sha256 TEXT NOT NULL,
    name TEXT NOT NULL,
    size_bytes BIGINT NOT NULL,
    kind TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    CONSTRAINT pk_files PRIMARY KEY (id),
    CONSTRAINT uq_files_sha256 UNIQUE (sha256)
);

CREATE TABLE legal_moves (
    entity TEXT NOT NULL,
    was TEXT NOT NULL,
    becomes TEXT NOT NULL,
    CONSTRAINT pk_legal_moves PRIMARY KEY (entity, was, becomes)
);

CREATE TABLE takers (
    id BIGSERIAL NOT NULL,
    document TEXT NOT NULL,
    remote_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    body JSON NOT NULL,
    is_complete BOOLEAN NOT NULL,
    looked_at BIGINT NOT NULL,
    CONSTRAINT pk_takers PRIMARY KEY (id),
    CONSTRAINT uq_takers_document UNIQUE (document)
);

CREATE TABLE readings (
    id BIGSERIAL NOT NULL,
    file_id BIGINT NOT NULL,
    ordinal INTEGER NOT NULL,
    operator TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    finished_at BIGINT,
    options JSON NOT NULL,
    understood JSON,
    CONSTRAINT pk_readings PRIMARY KEY (id),
    CONSTRAINT uq_readings_file_id_ordinal UNIQUE (file_id, ordinal),
    CONSTRAINT fk_readings_file_id FOREIGN KEY(file_id) REFERENCES files (id)
);

CREATE TABLE series (
    id BIGSERIAL NOT NULL,
    emitter_id BIGINT NOT NULL,
    serie TEXT NOT NULL,
    first_number BIGINT NOT NULL,
    next_number BIGINT NOT NULL,
    highest_posted BIGINT DEFAULT '0' NOT NULL,
    started_by TEXT NOT NULL,
    CONSTRAINT pk_series PRIMARY KEY (id),
    CONSTRAINT uq_series_emitter_id_serie UNIQUE (emitter_id, serie),
    CONSTRAINT fk_series_emitter_id FOREIGN KEY(emitter_id) REFERENCES emitters (id)
);

CREATE TABLE templates (
    id BIGSERIAL NOT NULL,
    emitter_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    remote_id BIGINT NOT NULL,
    body JSON NOT NULL,
    looked_at BIGINT NOT NULL,
    CONSTRAINT pk_templates PRIMARY KEY (id),
    CONSTRAINT uq_templates_emitter_id_name UNIQUE (emitter_id, name),
    CONSTRAINT fk_templates_emitter_id FOREIGN KEY(emitter_id) REFERENCES emitters (id)
);

CREATE TABLE batches (
    id BIGSERIAL NOT NULL,
    reading_id BIGINT NOT NULL,
    emitter_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    issuer TEXT NOT NULL,
    is_staged BOOLEAN NOT NULL,
    competence DATE NOT NULL,
    ordinal INTEGER NOT NULL,
    revision INTEGER DEFAULT '1' NOT NULL,
    state TEXT NOT NULL,
    name TEXT,
    remote_id BIGINT,
    emission_at BIGINT,
    count INTEGER NOT NULL,
    total_cents BIGINT NOT NULL,
    digest TEXT,
    fence INTEGER DEFAULT '0' NOT NULL,
    lease_owner TEXT,
    lease_until BIGINT,
    settle_after BIGINT,
    must_list BOOLEAN DEFAULT false NOT NULL,
    renews BOOLEAN DEFAULT false NOT NULL,
    proven_by TEXT,
    due_at BIGINT NOT NULL,
    looks INTEGER DEFAULT '0' NOT NULL,
    counters JSON,
    last_answer_at BIGINT,
    sent_at BIGINT,
    closed_at BIGINT,
    recounted_at BIGINT,
    CONSTRAINT pk_batches PRIMARY KEY (id),
    CONSTRAINT ck_batches_not_negative CHECK ("count" >= 0 AND total_cents >= 0),
    CONSTRAINT ck_batches_whole_lease CHECK ((lease_owner IS NULL) = (lease_until IS NULL)),
    CONSTRAINT ck_batches_opened_has_remote_id CHECK (state IN ('discarded', 'discarding', 'disturbed', 'opening', 'planned') OR remote_id IS NOT NULL OR NOT is_staged),
    CONSTRAINT ck_batches_unstaged_is_ours_alone CHECK (is_staged OR (name IS NULL AND remote_id IS NULL)),
    CONSTRAINT fk_batches_reading_id FOREIGN KEY(reading_id) REFERENCES readings (id),
    CONSTRAINT fk_batches_emitter_id_kind_issuer_is_staged FOREIGN KEY(emitter_id, kind, issuer, is_staged) REFERENCES emitters (id, kind, issuer, is_staged),
    CONSTRAINT uq_batches_id_kind_issuer_is_staged UNIQUE (id, kind, issuer, is_staged),
    CONSTRAINT uq_batches_issuer_remote_id UNIQUE (issuer, remote_id)
);
CREATE INDEX ix_batches_reading_id ON batches (reading_id);
CREATE INDEX ix_batches_state_due_at ON batches (state, due_at);

CREATE TABLE rows (
    id BIGSERIAL NOT NULL,
    file_id BIGINT NOT NULL,
    reading_id BIGINT NOT NULL,
    sheet TEXT NOT NULL,
    row_number INTEGER NOT NULL,
    state TEXT NOT NULL,
    cells JSON NOT NULL,
    line JSON,
    problems JSON NOT NULL,
    business_key TEXT,
    emitter_id BIGINT,
    taker_id BIGINT,
    template_id BIGINT,
    leader_id BIGINT,
    CONSTRAINT pk_rows PRIMARY KEY (id),
    CONSTRAINT uq_rows_reading_id_sheet_row_number UNIQUE (reading_id, sheet, row_number),
    CONSTRAINT fk_rows_file_id FOREIGN KEY(file_id) REFERENCES files (id),
    CONSTRAINT fk_rows_reading_id FOREIGN KEY(reading_id) REFERENCES readings (id),
    CONSTRAINT fk_rows_emitter_id FOREIGN KEY(emitter_id) REFERENCES emitters (id),
    CONSTRAINT fk_rows_taker_id FOREIGN KEY(taker_id) REFERENCES takers (id),
    CONSTRAINT fk_rows_template_id FOREIGN KEY(template_id) REFERENCES templates (id),
    CONSTRAINT fk_rows_leader_id FOREIGN KEY(leader_id) REFERENCES rows (id),
    CONSTRAINT ck_rows_follower_is_assembled CHECK (leader_id IS NULL OR (leader_id <> id AND state IN ('assembled')))
);
CREATE INDEX ix_rows_file_id_sheet_row_number ON rows (file_id, sheet, row_number);
CREATE INDEX ix_rows_reading_id_state ON rows (reading_id, state);

CREATE TABLE approvals (
    id BIGSERIAL NOT NULL,
    batch_id BIGINT NOT NULL,
    revision INTEGER NOT NULL,
    digest TEXT NOT NULL,
    count INTEGER NOT NULL,
    total_cents BIGINT NOT NULL,
    approver TEXT NOT NULL,
    approved_at BIGINT NOT NULL,
    void_at BIGINT,
    void_because TEXT,
    CONSTRAINT pk_approvals PRIMARY KEY (id),
    CONSTRAINT fk_approvals_batch_id FOREIGN KEY(batch_id) REFERENCES batches (id)
);
CREATE UNIQUE INDEX uq_approvals_standing ON approvals (batch_id) WHERE void_at IS NULL;

CREATE TABLE invoices (
    id BIGSERIAL NOT NULL,
    row_id BIGINT NOT NULL,
    batch_id BIGINT,
    emitter_id BIGINT NOT NULL,
    taker_id BIGINT,
    template_id BIGINT,
    follows_id BIGINT,
    kind TEXT NOT NULL,
    issuer TEXT NOT NULL,
    is_staged BOOLEAN NOT NULL,
    state TEXT NOT NULL,
    business_key TEXT NOT NULL,
    competence DATE NOT NULL,
    emission_at BIGINT,
    serie TEXT,
    number BIGINT,
    content TEXT NOT NULL,
    digest TEXT NOT NULL,
    service_cents BIGINT NOT NULL,
    liquid_cents BIGINT NOT NULL,
    amounts JSON NOT NULL,
    remote_id BIGINT,
    nfse_number TEXT,
    nfse_key TEXT,
    errors JSON NOT NULL,
    answer_digest TEXT,
    doubts INTEGER DEFAULT '0' NOT NULL,
    last_byte_at BIGINT,
    absent_at BIGINT,
    CONSTRAINT pk_invoices PRIMARY KEY (id),
    CONSTRAINT uq_invoices_emitter_id_serie_number UNIQUE (emitter_id, serie, number),
    CONSTRAINT uq_invoices_issuer_remote_id UNIQUE (issuer, remote_id),
    CONSTRAINT ck_invoices_whole_number CHECK ((serie IS NULL) = (number IS NULL)),
    CONSTRAINT ck_invoices_reserved_has_number CHECK (state IN ('drafted', 'retired') OR (number IS NOT NULL AND batch_id IS NOT NULL)),
    CONSTRAINT ck_invoices_created_has_remote_id CHECK (state NOT IN ('accepted', 'cancelling', 'created', 'processing', 'scheduled') OR remote_id IS NOT NULL),
    CONSTRAINT ck_invoices_not_negative CHECK (service_cents >= 0 AND liquid_cents >= 0),
    CONSTRAINT ck_invoices_service_has_taker CHECK (kind <> 'service' OR taker_id IS NOT NULL),
    CONSTRAINT ck_invoices_unstaged_is_issued_at_once CHECK (is_staged OR state NOT IN ('created', 'scheduled')),
    CONSTRAINT fk_invoices_row_id FOREIGN KEY(row_id) REFERENCES rows (id),
    CONSTRAINT fk_invoices_batch_id_kind_issuer_is_staged FOREIGN KEY(batch_id, kind, issuer, is_staged) REFERENCES batches (id, kind, issuer, is_staged),
    CONSTRAINT fk_invoices_emitter_id_kind_issuer_is_staged FOREIGN KEY(emitter_id, kind, issuer, is_staged) REFERENCES emitters (id, kind, issuer, is_staged),
    CONSTRAINT fk_invoices_taker_id FOREIGN KEY(taker_id) REFERENCES takers (id),
    CONSTRAINT fk_invoices_template_id FOREIGN KEY(template_id) REFERENCES templates (id),
    CONSTRAINT fk_invoices_follows_id FOREIGN KEY(follows_id) REFERENCES invoices (id)
);
CREATE INDEX ix_invoices_batch_id_state ON invoices (batch_id, state);
CREATE INDEX ix_invoices_business_key ON invoices (business_key);
CREATE INDEX ix_invoices_dead_number ON invoices (emitter_id, serie, number) WHERE state NOT IN ('accepted', 'cancelling', 'created', 'drafted', 'in_doubt', 'posting', 'processing', 'reserved', 'scheduled', 'unresolved');
CREATE INDEX ix_invoices_row_id ON invoices (row_id);
CREATE UNIQUE INDEX uq_invoices_living_business_key ON invoices (business_key) WHERE state IN ('accepted', 'cancelling', 'created', 'drafted', 'in_doubt', 'posting', 'processing', 'reserved', 'scheduled', 'unresolved');

CREATE TABLE orphans (
    id BIGSERIAL NOT NULL,
    batch_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    remote_id BIGINT,
    at BIGINT NOT NULL,
    CONSTRAINT pk_orphans PRIMARY KEY (id),
    CONSTRAINT fk_orphans_batch_id FOREIGN KEY(batch_id) REFERENCES batches (id)
);

CREATE TABLE traffic (
    id BIGSERIAL NOT NULL,
    reading_id BIGINT,
    batch_id BIGINT,
    station TEXT NOT NULL,
    requests INTEGER NOT NULL,
    at BIGINT NOT NULL,
    CONSTRAINT pk_traffic PRIMARY KEY (id),
    CONSTRAINT fk_traffic_reading_id FOREIGN KEY(reading_id) REFERENCES readings (id),
    CONSTRAINT fk_traffic_batch_id FOREIGN KEY(batch_id) REFERENCES batches (id)
);
CREATE INDEX ix_traffic_batch_id ON traffic (batch_id);
CREATE INDEX ix_traffic_reading_id ON traffic (reading_id);

CREATE TABLE attempts (
    id BIGSERIAL NOT NULL,
    batch_id BIGINT NOT NULL,
    invoice_id BIGINT,
    what TEXT NOT NULL,
    fence INTEGER NOT NULL,
    begun_at BIGINT NOT NULL,
    last_byte_at BIGINT,
    ended_at BIGINT,
    outcome TEXT,
    status INTEGER,
    remote_id BIGINT,
    detail TEXT,
    CONSTRAINT pk_attempts PRIMARY KEY (id),
    CONSTRAINT ck_attempts_known_outcome CHECK (outcome IN ('disturbed', 'done', 'doubtful', 'not_sent', 'refused')),
    CONSTRAINT fk_attempts_batch_id FOREIGN KEY(batch_id) REFERENCES batches (id),
    CONSTRAINT fk_attempts_invoice_id FOREIGN KEY(invoice_id) REFERENCES invoices (id)
);
CREATE INDEX ix_attempts_batch_id ON attempts (batch_id);
CREATE INDEX ix_attempts_invoice_id ON attempts (invoice_id);

CREATE TABLE incidents (
    id BIGSERIAL NOT NULL,
    batch_id BIGINT,
    invoice_id BIGINT,
    code TEXT NOT NULL,
    params JSON NOT NULL,
    opened_at BIGINT NOT NULL,
    closed_at BIGINT,
    closed_by TEXT,
    CONSTRAINT pk_incidents PRIMARY KEY (id),
    CONSTRAINT fk_incidents_batch_id FOREIGN KEY(batch_id) REFERENCES batches (id),
    CONSTRAINT fk_incidents_invoice_id FOREIGN KEY(invoice_id) REFERENCES invoices (id)
);
CREATE INDEX ix_incidents_batch_id ON incidents (batch_id);

CREATE TABLE numbers (
    emitter_id BIGINT NOT NULL,
    serie TEXT NOT NULL,
    number BIGINT NOT NULL,
    invoice_id BIGINT NOT NULL,
    digest TEXT NOT NULL,
    posted_at BIGINT,
    retired_at BIGINT,
    retired_because TEXT,
    CONSTRAINT pk_numbers PRIMARY KEY (emitter_id, serie, number),
    CONSTRAINT uq_numbers_invoice_id UNIQUE (invoice_id),
    CONSTRAINT ck_numbers_positive CHECK (number > 0),
    CONSTRAINT ck_numbers_retired_with_reason CHECK ((retired_at IS NULL) = (retired_because IS NULL)),
    CONSTRAINT fk_numbers_emitter_id FOREIGN KEY(emitter_id) REFERENCES emitters (id),
    CONSTRAINT fk_numbers_invoice_id FOREIGN KEY(invoice_id) REFERENCES invoices (id)
);
CREATE FUNCTION faturista_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'check_violation'; END $$;

-- A state is born and moves only as legal_moves says.
CREATE FUNCTION faturista_birth() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM legal_moves WHERE entity = TG_ARGV[0] AND was = '' AND becomes = NEW.state) THEN
        RAISE EXCEPTION 'no % is born as %', TG_ARGV[0], NEW.state USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION faturista_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM legal_moves WHERE entity = TG_ARGV[0] AND was = OLD.state AND becomes = NEW.state) THEN
        RAISE EXCEPTION 'illegal move of %: % to %', TG_ARGV[0], OLD.state, NEW.state USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER rows_birth BEFORE INSERT ON rows FOR EACH ROW EXECUTE FUNCTION faturista_birth('row');
CREATE TRIGGER rows_move BEFORE UPDATE OF state ON rows FOR EACH ROW WHEN (NEW.state <> OLD.state)
    EXECUTE FUNCTION faturista_move('row');
CREATE TRIGGER batches_birth BEFORE INSERT ON batches FOR EACH ROW EXECUTE FUNCTION faturista_birth('batch');
CREATE TRIGGER batches_move BEFORE UPDATE OF state ON batches FOR EACH ROW WHEN (NEW.state <> OLD.state)
    EXECUTE FUNCTION faturista_move('batch');
CREATE TRIGGER invoices_birth BEFORE INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION faturista_birth('invoice');
CREATE TRIGGER invoices_move BEFORE UPDATE OF state ON invoices FOR EACH ROW WHEN (NEW.state <> OLD.state)
    EXECUTE FUNCTION faturista_move('invoice');

-- A note is posted only while its batch is held by a worker, under a number that is its own and not retired. It waits in
-- an open batch until that is sent; where posting issues, it is posted from a batch that is being sent as approved.
CREATE FUNCTION faturista_posting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (
        EXISTS (SELECT 1 FROM numbers
                WHERE emitter_id = NEW.emitter_id AND serie = NEW.serie AND number = NEW.number
                  AND invoice_id = NEW.id AND digest = NEW.digest AND retired_at IS NULL)
        AND EXISTS (SELECT 1 FROM batches
                    WHERE id = NEW.batch_id AND lease_owner IS NOT NULL AND (
                        (is_staged AND state = 'open')
                        OR (NOT is_staged AND state = 'sending' AND EXISTS (
                            SELECT 1 FROM approvals
                            WHERE batch_id = batches.id AND revision = batches.revision AND digest = batches.digest
                              AND void_at IS NULL))))) THEN
        RAISE EXCEPTION 'a note may not be posted now, or not under this number' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER invoices_posting BEFORE UPDATE OF state ON invoices FOR EACH ROW
    WHEN (NEW.state = 'posting') EXECUTE FUNCTION faturista_posting();

-- Nothing unsettled is called staged, and nothing is approved or sent without a standing approval of this very content.
CREATE FUNCTION faturista_settled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM invoices WHERE batch_id = NEW.id
               AND state IN ('drafted', 'reserved', 'posting', 'in_doubt', 'unresolved')) THEN
        RAISE EXCEPTION 'a note of this batch is unsettled' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER batches_settled BEFORE UPDATE OF state ON batches FOR EACH ROW
    WHEN (NEW.state IN ('staged', 'approved', 'sending') AND NEW.state <> OLD.state AND NEW.is_staged)
    EXECUTE FUNCTION faturista_settled();
CREATE FUNCTION faturista_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM invoices WHERE batch_id = NEW.id AND state NOT IN (
               'reserved', 'rejected', 'refused', 'deleted', 'retired', 'cancelled')) THEN
        RAISE EXCEPTION 'an invoice of this batch does not wait to be posted' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER batches_fixed BEFORE UPDATE OF state ON batches FOR EACH ROW
    WHEN (NEW.state = 'staged' AND NEW.state <> OLD.state AND NOT NEW.is_staged)
    EXECUTE FUNCTION faturista_fixed();
CREATE FUNCTION faturista_issued() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM invoices WHERE batch_id = NEW.id
               AND state IN ('drafted', 'reserved', 'posting', 'in_doubt')) THEN
        RAISE EXCEPTION 'an invoice of this batch is not issued yet' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER batches_issued BEFORE UPDATE OF state ON batches FOR EACH ROW
    WHEN (OLD.state = 'sending' AND NEW.state IN ('scheduled', 'processing', 'processed') AND NOT NEW.is_staged)
    EXECUTE FUNCTION faturista_issued();
CREATE FUNCTION faturista_approved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM approvals WHERE batch_id = NEW.id AND revision = NEW.revision
                   AND digest = NEW.digest AND void_at IS NULL) THEN
        RAISE EXCEPTION 'this content was not approved' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER batches_approved BEFORE UPDATE OF state ON batches FOR EACH ROW
    WHEN (NEW.state IN ('approved', 'sending') AND NEW.state <> OLD.state) EXECUTE FUNCTION faturista_approved();
CREATE TRIGGER batches_forward BEFORE UPDATE OF fence, revision, remote_id ON batches FOR EACH ROW
    WHEN (NEW.fence < OLD.fence OR NEW.revision < OLD.revision
        OR (OLD.remote_id IS NOT NULL AND NEW.remote_id IS DISTINCT FROM OLD.remote_id))
    EXECUTE FUNCTION faturista_refuse('fence, revision and remote id of a batch never go back');

-- What an invoice asks for never changes; number, batch and remote id are given once.
CREATE TRIGGER invoices_content BEFORE UPDATE OF
    id, row_id, emitter_id, taker_id, template_id, follows_id, kind, issuer, is_staged, business_key, competence, emission_at,
    content, digest, service_cents, liquid_cents, amounts ON invoices FOR EACH ROW
    EXECUTE FUNCTION faturista_refuse('the content of an invoice never changes');
CREATE TRIGGER invoices_given BEFORE UPDATE OF batch_id, serie, number, remote_id ON invoices FOR EACH ROW
    WHEN ((OLD.batch_id IS NOT NULL AND NEW.batch_id IS DISTINCT FROM OLD.batch_id)
        OR (OLD.serie IS NOT NULL AND NEW.serie IS DISTINCT FROM OLD.serie)
        OR (OLD.number IS NOT NULL AND NEW.number IS DISTINCT FROM OLD.number)
        OR (OLD.remote_id IS NOT NULL AND NEW.remote_id IS DISTINCT FROM OLD.remote_id))
    EXECUTE FUNCTION faturista_refuse('number, batch and remote id of an invoice are given once');

-- An invoice joins one batch, while that is planned, and is made of rows that are in no other.
CREATE FUNCTION faturista_alone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.batch_id IS NOT NULL
        OR EXISTS (SELECT 1 FROM rows WHERE id = NEW.row_id AND leader_id IS NOT NULL) THEN
        RAISE EXCEPTION 'an invoice begins in no batch, with a row that follows no other'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER invoices_alone BEFORE INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION faturista_alone();
CREATE FUNCTION faturista_joining() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM batches WHERE id = NEW.batch_id AND state = 'planned') THEN
        RAISE EXCEPTION 'an invoice joins a planned batch' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER invoices_joining BEFORE UPDATE OF batch_id ON invoices FOR EACH ROW
    WHEN (OLD.batch_id IS NULL AND NEW.batch_id IS NOT NULL) EXECUTE FUNCTION faturista_joining();
CREATE FUNCTION faturista_following() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.leader_id IS NOT NULL
        OR NOT EXISTS (SELECT 1 FROM rows WHERE id = NEW.leader_id AND reading_id = NEW.reading_id)
        OR NOT EXISTS (SELECT 1 FROM invoices WHERE row_id = NEW.leader_id)
        OR EXISTS (SELECT 1 FROM invoices WHERE row_id = NEW.id) THEN
        RAISE EXCEPTION 'a row follows one row of its reading that has an invoice, and has none itself'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER rows_following BEFORE UPDATE OF leader_id ON rows FOR EACH ROW
    WHEN (NEW.leader_id IS DISTINCT FROM OLD.leader_id) EXECUTE FUNCTION faturista_following();

-- A number belongs for ever to one invoice and one digest; retired, it stays retired.
CREATE FUNCTION faturista_number_birth() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM invoices WHERE id = NEW.invoice_id AND emitter_id = NEW.emitter_id
                   AND serie = NEW.serie AND number = NEW.number AND digest = NEW.digest) THEN
        RAISE EXCEPTION 'a number is recorded for the invoice that bears it, with its digest'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER numbers_birth BEFORE INSERT ON numbers FOR EACH ROW EXECUTE FUNCTION faturista_number_birth();
CREATE TRIGGER numbers_owner BEFORE UPDATE OF emitter_id, serie, number, invoice_id, digest ON numbers FOR EACH ROW
    EXECUTE FUNCTION faturista_refuse('a number belongs for ever to one invoice and digest');
CREATE FUNCTION faturista_number_retire() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (OLD.posted_at IS NOT NULL AND NEW.posted_at IS DISTINCT FROM OLD.posted_at)
        OR (OLD.retired_at IS NOT NULL AND (NEW.retired_at IS DISTINCT FROM OLD.retired_at
            OR NEW.retired_because IS DISTINCT FROM OLD.retired_because))
        OR (NEW.retired_at IS NOT NULL AND EXISTS (
            SELECT 1 FROM invoices WHERE id = NEW.invoice_id AND state IN (
                'drafted', 'reserved', 'posting', 'in_doubt', 'unresolved', 'created', 'scheduled', 'processing',
                'accepted', 'cancelling'))) THEN
        RAISE EXCEPTION 'a number is retired once, when its invoice is dead' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER numbers_retire BEFORE UPDATE OF posted_at, retired_at, retired_because ON numbers FOR EACH ROW
    EXECUTE FUNCTION faturista_number_retire();
CREATE TRIGGER series_forward BEFORE UPDATE ON series FOR EACH ROW
    WHEN (NEW.emitter_id <> OLD.emitter_id OR NEW.serie <> OLD.serie
        OR NEW.next_number < OLD.next_number OR NEW.highest_posted < OLD.highest_posted)
    EXECUTE FUNCTION faturista_refuse('a serie only counts up');

-- Journals: written once.
CREATE TRIGGER events_written BEFORE UPDATE ON events FOR EACH ROW
    EXECUTE FUNCTION faturista_refuse('the event journal is append-only');
CREATE TRIGGER attempts_closed BEFORE UPDATE ON attempts FOR EACH ROW
    WHEN (OLD.ended_at IS NOT NULL OR NEW.batch_id <> OLD.batch_id OR NEW.invoice_id IS DISTINCT FROM OLD.invoice_id
        OR NEW.what <> OLD.what OR NEW.fence <> OLD.fence OR NEW.begun_at <> OLD.begun_at)
    EXECUTE FUNCTION faturista_refuse('an attempt is closed once');
CREATE TRIGGER approvals_void BEFORE UPDATE ON approvals FOR EACH ROW
    WHEN (OLD.void_at IS NOT NULL OR NEW.batch_id <> OLD.batch_id OR NEW.revision <> OLD.revision
        OR NEW.digest <> OLD.digest OR NEW."count" <> OLD."count" OR NEW.total_cents <> OLD.total_cents
        OR NEW.approver <> OLD.approver OR NEW.approved_at <> OLD.approved_at)
    EXECUTE FUNCTION faturista_refuse('an approval can only be voided');
CREATE TRIGGER account_bound BEFORE UPDATE OF uuid ON account FOR EACH ROW WHEN (NEW.uuid <> OLD.uuid)
    EXECUTE FUNCTION faturista_refuse('this ledger belongs to another account');

-- Nothing that money hangs on is ever deleted.
CREATE TRIGGER account_kept BEFORE DELETE OR TRUNCATE ON account FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER approvals_kept BEFORE DELETE OR TRUNCATE ON approvals FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER attempts_kept BEFORE DELETE OR TRUNCATE ON attempts FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER batches_kept BEFORE DELETE OR TRUNCATE ON batches FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER emitters_kept BEFORE DELETE OR TRUNCATE ON emitters FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER events_kept BEFORE DELETE OR TRUNCATE ON events FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER files_kept BEFORE DELETE OR TRUNCATE ON files FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER incidents_kept BEFORE DELETE OR TRUNCATE ON incidents FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER invoices_kept BEFORE DELETE OR TRUNCATE ON invoices FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER numbers_kept BEFORE DELETE OR TRUNCATE ON numbers FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER orphans_kept BEFORE DELETE OR TRUNCATE ON orphans FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER readings_kept BEFORE DELETE OR TRUNCATE ON readings FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER rows_kept BEFORE DELETE OR TRUNCATE ON rows FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER series_kept BEFORE DELETE OR TRUNCATE ON series FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER takers_kept BEFORE DELETE OR TRUNCATE ON takers FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER templates_kept BEFORE DELETE OR TRUNCATE ON templates FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');
CREATE TRIGGER traffic_kept BEFORE DELETE OR TRUNCATE ON traffic FOR EACH STATEMENT
    EXECUTE FUNCTION faturista_refuse('the ledger keeps everything');

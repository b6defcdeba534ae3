-- Queries of the migrator. Not prepared: the schema may not exist yet.

-- name: schema_exists
-- Whether a schema of that name exists.
SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1);

-- name: lock_schema
-- Locks a schema until the transaction ends: one migration at a time.
SELECT pg_advisory_xact_lock(hashtext('fluxnetes migrations'), hashtext($1));

-- name: version_table_exists
-- Whether the schema has its version table.
SELECT EXISTS (
  SELECT FROM pg_tables
  WHERE schemaname = $1 AND tablename = 'schema_migrations'
);

-- name: create_version_table
-- Creates the table of applied versions.
CREATE TABLE schema_migrations (
  version integer PRIMARY KEY CHECK (version >= 1),
  name text NOT NULL,
  checksum text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE schema_migrations IS
'The migrations that were applied to this schema by `fluxnetes migrate up`.';
COMMENT ON COLUMN schema_migrations.version IS 'Its number.';
COMMENT ON COLUMN schema_migrations.name IS 'Its name.';
COMMENT ON COLUMN schema_migrations.checksum IS 'MD5 of its script: a later edit is noticed.';
COMMENT ON COLUMN schema_migrations.applied_at IS 'When it was applied.';

-- name: highest_version
-- The newest applied version; 0 if none.
SELECT coalesce(max(version), 0) FROM schema_migrations;

-- name: record_version
-- Records an applied migration.
INSERT INTO schema_migrations (version, name, checksum)
VALUES ($1, $2, md5($3));

-- name: applied_versions
-- The applied migrations, and whether a script has changed since.
SELECT
  m.version,
  m.name,
  m.applied_at,
  m.checksum <> md5(script.text) AS changed
FROM schema_migrations AS m
LEFT JOIN unnest($1::integer [], $2::text []) AS script (version, text)
  ON script.version = m.version
ORDER BY m.version;

-- name: search_path_is_set
-- Whether the search_path of this database was set before and still leads to an
-- existing schema.
SELECT EXISTS (
  SELECT
  FROM pg_db_role_setting AS s
  INNER JOIN pg_database AS d ON d.oid = s.setdatabase
  CROSS JOIN unnest(s.setconfig) AS setting
  INNER JOIN pg_namespace AS n
    ON quote_ident(n.nspname)
    = split_part(substr(setting, length('search_path=') + 1), ',', 1)
  WHERE d.datname = current_database()
  AND s.setrole = 0 AND setting LIKE 'search_path=%'
);

-- name: database_name
-- The name of the current database, quoted if necessary.
SELECT quote_ident(current_database());

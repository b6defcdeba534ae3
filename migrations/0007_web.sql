-- Who is let in to the pages in the browser.

CREATE TABLE web_links (
  digest text PRIMARY KEY,
  caller text NOT NULL,
  role text NOT NULL CHECK (role IN ('viewer', 'operator')),
  expires_at timestamptz NOT NULL
);
COMMENT ON TABLE web_links IS
'Links that fluxnetes web has printed and no browser has opened. A link is exchanged for a session once. A new link removes the expired rows of both tables.';
COMMENT ON COLUMN web_links.digest IS 'The SHA-256 of the secret in the link, in hexadecimal digits.';
COMMENT ON COLUMN web_links.caller IS 'The user who ran the command.';
COMMENT ON COLUMN web_links.role IS 'The role that the session gets.';
COMMENT ON COLUMN web_links.expires_at IS 'The time after which the link opens nothing, by the database''s clock.';

CREATE TABLE web_sessions (
  digest text PRIMARY KEY,
  caller text NOT NULL,
  role text NOT NULL CHECK (role IN ('viewer', 'operator')),
  expires_at timestamptz NOT NULL
);
COMMENT ON TABLE web_sessions IS
'Browsers that are let in to the pages. Who deletes a row ends the session within half a minute.';
COMMENT ON COLUMN web_sessions.digest IS 'The SHA-256 of the secret in the browser''s cookie, in hexadecimal digits.';
COMMENT ON COLUMN web_sessions.caller IS 'The user who ran fluxnetes web; the audit log names this user.';
COMMENT ON COLUMN web_sessions.role IS 'What the browser may do.';
COMMENT ON COLUMN web_sessions.expires_at IS 'The time at which the session ends, by the database''s clock.';

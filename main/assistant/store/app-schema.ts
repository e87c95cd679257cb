/** Tables of the app's file, beside those of the assistant's checkpoints. Times are milliseconds since 1970. */
export const SCHEMA_VERSION = 4;

const SINCE_2 = [
  // Model use of one thing: an import's job, an answer, or the reading of a day. Ids and figures only, no text. `model`
  // is empty where no model was asked; `milliseconds` is null where nobody measured; `estimate` is JSON.
  `CREATE TABLE usage_item (
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    model TEXT NOT NULL,
    conversation TEXT,
    at INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    milliseconds REAL,
    estimate TEXT,
    PRIMARY KEY (kind, subject, model)
  ) WITHOUT ROWID`,
  'CREATE INDEX usage_item_by_time ON usage_item (kind, at DESC)',
  'CREATE INDEX usage_item_by_conversation ON usage_item (conversation)',
  // Turns that a restore brings back and that it has to forget again. Ids only, no text.
  `CREATE TABLE forget_again (
    job TEXT NOT NULL,
    scope TEXT NOT NULL,
    episode TEXT NOT NULL,
    PRIMARY KEY (job, scope, episode)
  ) WITHOUT ROWID`,
] as const;

/** Statements that bring a file of version 1 to version 2: answers of models have their figures in their details. */
const FROM_1_TO_2 = [
  ...SINCE_2,
  `INSERT INTO usage_item
   SELECT 'question', id, coalesce(json_extract(details, '$.model'), ''), conversation, at,
     json_extract(details, '$.usage.calls'), json_extract(details, '$.usage.promptTokens'),
     json_extract(details, '$.usage.completionTokens'), NULL, NULL
   FROM message WHERE role = 'assistant' AND CASE WHEN json_valid(details)
     THEN json_type(details, '$.usage.calls') = 'integer' AND json_type(details, '$.usage.promptTokens') = 'integer'
       AND json_type(details, '$.usage.completionTokens') = 'integer' AND json_extract(details, '$.usage.calls') > 0
     ELSE 0 END`,
] as const;

/** A conversation may continue a session of its scope that was imported. */
const FROM_2_TO_3 = ['ALTER TABLE conversation ADD COLUMN session TEXT'] as const;

const SINCE_4 = [
  // The images of messages, which memory names by their ids. `message` is null once it was deleted and memory keeps its
  // turn. `data` is the file as it was sent.
  `CREATE TABLE image (
    id TEXT PRIMARY KEY,
    scope TEXT NOT NULL,
    message TEXT,
    type TEXT NOT NULL,
    data BLOB NOT NULL
  )`,
  'CREATE INDEX image_by_message ON image (message)',
  `CREATE TRIGGER image_forgotten AFTER UPDATE OF state ON message WHEN new.state = 'forgotten' BEGIN
    DELETE FROM image WHERE message = new.id;
  END`,
] as const;

/** Statements by the version of the file that they bring to the next one. */
export const MIGRATIONS: Readonly<Record<number, readonly string[]>> = {
  1: FROM_1_TO_2,
  2: FROM_2_TO_3,
  3: SINCE_4,
};

export const TABLES = [
  'CREATE TABLE app_schema (version INTEGER NOT NULL)',
  `CREATE TABLE folder (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) WITHOUT ROWID`,
  // `leaf` is the last message of the branch that is shown.
  `CREATE TABLE conversation (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    has_own_title INTEGER NOT NULL,
    scope TEXT NOT NULL,
    folder TEXT,
    is_pinned INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    draft TEXT NOT NULL,
    leaf TEXT,
    session TEXT
  ) WITHOUT ROWID`,
  'CREATE INDEX conversation_by_time ON conversation (is_pinned DESC, updated_at DESC)',
  // `details` is JSON: what a list of messages shows besides the text. `why` is JSON, read only on request.
  // `memory_key` names the exchange in memory: an edit or another answer has that of the message it replaces.
  `CREATE TABLE message (
    rowid INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    conversation TEXT NOT NULL,
    parent TEXT,
    role TEXT NOT NULL,
    text TEXT NOT NULL,
    at INTEGER NOT NULL,
    state TEXT NOT NULL,
    memory_key TEXT NOT NULL,
    details TEXT NOT NULL,
    why TEXT
  )`,
  'CREATE INDEX message_by_conversation ON message (conversation, rowid)',
  // Which turns of memory a message became, or cites.
  `CREATE TABLE message_turn (
    message TEXT NOT NULL,
    episode TEXT NOT NULL,
    PRIMARY KEY (message, episode)
  ) WITHOUT ROWID`,
  'CREATE INDEX message_turn_by_episode ON message_turn (episode)',
  // Which turns of memory the attachments of a message became: documents have sessions of their own.
  `CREATE TABLE attachment_turn (
    message TEXT NOT NULL,
    episode TEXT NOT NULL,
    PRIMARY KEY (message, episode)
  ) WITHOUT ROWID`,
  'CREATE INDEX attachment_turn_by_episode ON attachment_turn (episode)',
  // Removals of turns that are under way, with the turns that memory had before.
  `CREATE TABLE removal (
    id TEXT NOT NULL,
    scope TEXT NOT NULL,
    episode TEXT NOT NULL,
    PRIMARY KEY (id, episode)
  ) WITHOUT ROWID`,
  `CREATE VIRTUAL TABLE message_words USING fts5(
    text, content='message', content_rowid='rowid', tokenize='unicode61 remove_diacritics 2'
  )`,
  // Words of deleted messages are erased from the index, not only marked.
  "INSERT INTO message_words(message_words, rank) VALUES ('secure-delete', 1)",
  `CREATE TRIGGER message_added AFTER INSERT ON message BEGIN
    INSERT INTO message_words(rowid, text) VALUES (new.rowid, new.text);
  END`,
  `CREATE TRIGGER message_removed AFTER DELETE ON message BEGIN
    INSERT INTO message_words(message_words, rowid, text) VALUES ('delete', old.rowid, old.text);
  END`,
  `CREATE TRIGGER message_changed AFTER UPDATE OF text ON message BEGIN
    INSERT INTO message_words(message_words, rowid, text) VALUES ('delete', old.rowid, old.text);
    INSERT INTO message_words(rowid, text) VALUES (new.rowid, new.text);
  END`,
  // `task` is JSON: what a job needs to continue after a restart. `counts` is JSON.
  `CREATE TABLE job (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    scope TEXT,
    state TEXT NOT NULL,
    phase TEXT NOT NULL,
    share REAL NOT NULL,
    counts TEXT NOT NULL,
    problem TEXT,
    task TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER
  ) WITHOUT ROWID`,
  // The bytes are in a file of the uploads folder, named by the id.
  `CREATE TABLE upload (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    received INTEGER NOT NULL,
    begun_at INTEGER NOT NULL,
    modified_at INTEGER
  ) WITHOUT ROWID`,
  `CREATE TABLE usage_day (
    day TEXT NOT NULL,
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    calls INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    PRIMARY KEY (day, model, purpose)
  ) WITHOUT ROWID`,
  // One row: JSON of `preferencesSchema`.
  'CREATE TABLE preferences (value TEXT NOT NULL)',
  ...SINCE_2,
  ...SINCE_4,
] as const;

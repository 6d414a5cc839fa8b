import type Database from 'libsql';

const MOST = 500;

/** Prepares each text once, for as long as not too many others were prepared. */
export function cachedStatements(prepare: (sql: string) => Database.Statement): (sql: string) => Database.Statement {
  const statements = new Map<string, Database.Statement>();
  return (sql) => {
    const known = statements.get(sql);
    if (known) return known;
    if (statements.size >= MOST) statements.clear();
    const statement = prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
}

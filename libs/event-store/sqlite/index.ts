export { openSqliteEventStore, type SqliteEventStoreOptions } from './sqlite-event-store';

export * from './sqlite-document-store';

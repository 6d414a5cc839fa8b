export * from './mongo-document-store';

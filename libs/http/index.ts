export * from './error-reply';
export * from './validation';

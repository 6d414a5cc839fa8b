export { prepare } from './adapters/app-center.js';

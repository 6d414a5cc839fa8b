export { openInProcessMessaging } from './in-process-messaging';

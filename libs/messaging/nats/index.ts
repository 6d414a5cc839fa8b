export { openNatsMessaging, type NatsMessagingOptions } from './nats-messaging';

import { maskedUrl } from './masked-url';

it.each([
  ['nats://bus:4222', 'nats://bus:4222'],
  ['nats://user:secret@bus:4222', 'nats://***@bus:4222'],
  ['nats://token@bus:4222', 'nats://***@bus:4222'],
  ['nats://user:secret@one:4222,nats://two:4222', 'nats://***@one:4222,nats://two:4222'],
  ['nats://user:secret@one:4222,nats://user:secret@two:4222', 'nats://***@two:4222'],
  ['minio://KEY:se/c?r,e@t@host:9000/bucket', 'minio://***@host:9000/bucket'],
  ['mongodb://u:p@db/sluice?authSource=admin&token=secret', 'mongodb://***@db/sluice?authSource=***&token=***'],
  ['esdb://events:2113?tls=false', 'esdb://events:2113?tls=***'],
  ['sqlite:/srv/me@home/events.db', 'sqlite:/srv/me@home/events.db'],
  ['inproc:', 'inproc:'],
])('shows %s as %s', (url, shown) => {
  expect(maskedUrl(url)).toBe(shown);
});

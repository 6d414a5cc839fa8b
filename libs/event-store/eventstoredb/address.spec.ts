import { connect } from './connection';
import { readAddress } from './address';

const forDriver = (url: string) => readAddress(url).forDriver;
const KEEP_ALIVE = 'keepAliveInterval=2000&keepAliveTimeout=1500';

it.each([
  ['one node', 'esdb://a', `esdb://a?${KEEP_ALIVE}`],
  ['a cluster by its nodes', 'esdb://a:1,b:2,c?tls=true', `esdb://a:1,b:2,c?tls=true&${KEEP_ALIVE}`],
  ['a cluster by one DNS name', 'esdb+discover://events.local:2113', `esdb+discover://events.local:2113?${KEEP_ALIVE}`],
  // Of which the driver would ask the first one alone.
  ['a list under the scheme of DNS', 'esdb+discover://a,b,c?tls=false', `esdb://a,b,c?tls=false&${KEEP_ALIVE}`],
  ['with a slash', ' esdb://a,b/?tls=false ', `esdb://a,b?tls=false&${KEEP_ALIVE}`],
  ['with a slash alone', 'esdb://a/', `esdb://a?${KEEP_ALIVE}`],
  ['without its user', 'esdb://admin:s3cr%40t@a?tls=true', `esdb://a?tls=true&${KEEP_ALIVE}`],
])('is given to the driver: %s', (_what, url, expected) => {
  expect(forDriver(url)).toBe(expected);
});

it('keeps the keep-alive that it names, however that is spelled', () => {
  expect(forDriver('esdb://a?keepAliveInterval=10000')).toBe('esdb://a?keepAliveInterval=10000&keepAliveTimeout=1500');
  expect(forDriver('esdb://a?Keep_Alive_Interval=-1&keepalivetimeout=9')).toBe(
    'esdb://a?Keep_Alive_Interval=-1&keepalivetimeout=9',
  );
});

it('names each node with its port, and how to reach it', () => {
  expect(readAddress('esdb+discover://u:p%40w@a:1,b/?tlsCAFile=/ca.pem')).toMatchObject({
    nodes: ['a:1', 'b:2113'],
    tls: true,
    caFile: '/ca.pem',
    credentials: { username: 'u', password: 'p@w' },
  });
  expect(readAddress('esdb://a?tls=false')).toMatchObject({ nodes: ['a:2113'], tls: false, credentials: undefined });
});

it('prints nothing for a keep-alive that the driver finds short, and what else the driver says once', () => {
  const warned = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  try {
    connect('esdb://a?tls=false');
    connect('esdb://a?tls=false&keepAliveInterval=1000');
    expect(warned).not.toHaveBeenCalled();
    const connection = connect('esdb://127.0.0.1:9?tls=false&colour=blue');
    connection.silent(connection.client);
    connection.silent(connection.client);
    expect(warned).toHaveBeenCalledTimes(1);
  } finally {
    warned.mockRestore();
  }
});

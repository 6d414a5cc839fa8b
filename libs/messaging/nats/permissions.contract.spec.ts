import { SERVICES } from '@sluice/contracts';
import { connect, Events } from 'nats';
import { natsServerBinary, startGuardedNats, type NatsServer } from '@sluice/testing/nats-server';

const suite = natsServerBinary() === undefined ? describe.skip : describe;

/** By subject, the users that may publish to it, of all services. */
const MAY_PUBLISH: Readonly<Record<string, readonly string[]>> = {
  'keys.signDigest': ['build-pipeline', 'device-updates'],
  'keys.openKeystore': ['gateway'],
  'keys.revealApiKey': ['gateway'],
  'keys.closeAppKeys': ['registry'],
  'buildPipeline.closeAppChannels': ['registry'],
  'buildPipeline.acceptBuild': ['gateway'],
  'registry.createToken': ['gateway'],
  'registry.listBuildRetention': ['gateway', 'build-pipeline'],
  'registry.diagnose': ['gateway'],
  'deviceUpdates.countGate': ['build-pipeline'],
  'deviceUpdates.countBuilds': ['build-pipeline'],
  'deviceUpdates.replaceGroup': ['gateway'],
  'device-updates.projectionsApplied': ['gateway'],
  'merchantSync.connect': ['gateway'],
  'merchantSync.askGate': ['build-pipeline'],
  'merchantSync.prepareGate': ['build-pipeline'],
  'announcements.members': [...SERVICES],
  'announcements.sessionEnded': ['gateway'],
  'announcements.signed-statements': ['device-updates'],
  'announcements.installationsReported': ['device-updates'],
  'announcements.deviceForgotten': ['device-updates'],
  'buildPipeline.recordPins': ['gateway', 'device-updates'],
  'registry.recordChannelPins': ['gateway', 'device-updates'],
  'announcements.hooks': ['merchant-sync'],
  // A reply that no request asked for.
  '_INBOX.gateway.made.up': [],
};

/** By subject, the users that may subscribe to it. */
const MAY_SUBSCRIBE: Readonly<Record<string, readonly string[]>> = {
  '>': [],
  '_INBOX.>': [],
  '_INBOX.gateway.>': ['gateway'],
  '_INBOX.keys.>': ['keys'],
  'keys.signDigest': ['keys'],
  'registry.createToken': ['registry'],
  'build-pipeline.diagnose': ['build-pipeline'],
  'announcements.members': [...SERVICES],
  'announcements.signed-statements': ['device-updates'],
  'announcements.installationsReported': ['build-pipeline'],
  'announcements.deviceForgotten': ['device-updates'],
  'announcements.hooks': [],
};

suite(`the users of NATS${natsServerBinary() === undefined ? ' (no nats-server)' : ''}`, () => {
  let server: NatsServer;

  beforeAll(async () => {
    server = await startGuardedNats(SERVICES);
  });

  // Its log has a violation for each attempt below.
  afterAll(() => server.kill());

  const allowedTo = (table: Readonly<Record<string, readonly string[]>>, user: string) =>
    Object.keys(table).filter((subject) => table[subject]!.includes(user));

  it.each(SERVICES)('lets %s use its own subjects and no others', async (user) => {
    const { username, password, host } = new URL(server.urlOf(user));
    const connection = await connect({ servers: host, user: username, pass: password, reconnect: false });
    const denied: Record<string, Set<string>> = { publish: new Set(), subscription: new Set() };
    for (const subject of Object.keys(MAY_SUBSCRIBE)) connection.subscribe(subject, { callback: () => undefined });
    // No user may publish to the last one, and the server answers in order.
    for (const subject of [...Object.keys(MAY_PUBLISH), 'end']) connection.publish(subject, '{}');
    for await (const { type, permissionContext: context } of connection.status()) {
      if (type === Events.Error && context) denied[context.operation]?.add(context.subject);
      if (context?.subject === 'end') break;
    }
    await connection.close();
    const left = (table: object, kind: string) => Object.keys(table).filter((subject) => !denied[kind]?.has(subject));
    expect(left(MAY_PUBLISH, 'publish')).toEqual(allowedTo(MAY_PUBLISH, user));
    expect(left(MAY_SUBSCRIBE, 'subscription')).toEqual(allowedTo(MAY_SUBSCRIBE, user));
  });

  it('rejects a client without a password', async () => {
    const { host } = new URL(server.url);
    await expect(connect({ servers: host, reconnect: false })).rejects.toThrow(/authorization/i);
  });
});

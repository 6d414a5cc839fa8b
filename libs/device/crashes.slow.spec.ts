import { inParts, scriptedPlane, type ScriptedBuild } from './plane.fixture';
import type { UpdateStorage } from './storage';
import { createUpdaterIn } from './updater';

/** Over all histories. */
const CRASHES = 1_000;
/** Of each history, before nothing fails any longer. */
const LIVES = 4;
const SEED = Number(process.env['FUZZ_SEED'] ?? 20261123);

/** mulberry32: the same choices for the same seed. */
function randomFrom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { next, below, chance: (share: number) => next() < share };
}
type Random = ReturnType<typeof randomFrom>;

/** One life of the app: after `stepsLeft` steps of its storage and network it is dead, and no step of it ever ends. */
function lifeOf(stepsLeft: number) {
  let die: (step: string) => void = () => undefined;
  const died = new Promise<string>((resolve) => (die = resolve));
  const end = new AbortController();
  const life = {
    ...{ died, signal: end.signal },
    isDead: false,
    async step(name: string): Promise<void> {
      stepsLeft -= 1;
      if (stepsLeft < 0 && !life.isDead) {
        life.end();
        die(name);
      }
      if (life.isDead) await new Promise<never>(() => undefined);
    },
    /** Also clears the timers that a process takes with it. */
    end(): void {
      life.isDead = true;
      end.abort();
    },
  };
  return life;
}
type Life = ReturnType<typeof lifeOf>;

/** What survives a crash. */
interface Disk {
  record: string | undefined;
  readonly bundles: Map<string, Uint8Array>;
}

/** A disk as one life sees it. A crash comes before or after an effect; one while bytes are added leaves a part of them. */
function storageOf(disk: Disk, life: Life, random: Random): UpdateStorage {
  const bytesOf = (id: string) => disk.bundles.get(id) ?? new Uint8Array();
  const around = async <T>(name: string, effect: () => T): Promise<T> => {
    await life.step(name);
    const result = effect();
    await life.step(name);
    return result;
  };
  const add = (id: string, bytes: Uint8Array) => disk.bundles.set(id, Buffer.concat([bytesOf(id), bytes]));
  return {
    updateState: (change) => around('updateState', () => void (disk.record = change(disk.record))),
    bundles: () => around('bundles', () => [...disk.bundles.keys()]),
    sizeOf: (id) => around('sizeOf', () => bytesOf(id).length),
    read: (id) => around('read', () => bytesOf(id).slice()),
    delete: (id) => around('delete', () => void disk.bundles.delete(id)),
    append: async (id, bytes) => {
      await life.step('append');
      const part = random.below(bytes.length + 1);
      add(id, bytes.subarray(0, part));
      await life.step('append');
      add(id, bytes.subarray(part));
      await life.step('append');
    },
  };
}

/** One bit of a stored bundle changes. */
function damage({ bundles }: Disk, random: Random): void {
  const bytes = [...bundles.values()][random.below(bundles.size)];
  const at = random.below(bytes?.length ?? 0);
  if (bytes !== undefined) bytes[at] = (bytes[at] ?? 0) ^ 1;
}

/** Each response of the network: as the plane gave it, or as a bad connection or an attacker changed it. */
function networkOf(plane: ReturnType<typeof scriptedPlane>, life: Life, random: Random, faults: number) {
  let replayed: string | undefined;
  const tampered = async (response: Response, isDownload: boolean): Promise<Response> => {
    const { status, headers } = response;
    if (random.chance(0.2)) throw new TypeError('fetch failed');
    if (random.chance(0.2)) return new Response('', { status: 503, headers: { 'Retry-After': '1' } });
    if (!isDownload) {
      const text = await response.text();
      const former = replayed ?? text;
      replayed = text;
      return new Response(random.chance(0.5) ? former : text.replace('1', '2'), { status, headers });
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    const at = random.below(bytes.length);
    if (random.chance(0.3)) bytes[at] = (bytes[at] ?? 0) ^ 1;
    if (random.chance(0.2)) return inParts(bytes, 700, { status: 200, headers });
    return inParts(bytes, 700, { status, headers }, random.chance(0.5) ? at : undefined);
  };
  return (async (input: string, init: RequestInit) => {
    await life.step('fetch');
    let response = await plane.fetch(input, init);
    if (random.chance(faults)) response = await tampered(response, input.includes('/bundles/'));
    await life.step('fetch');
    const { status, headers } = response;
    const reader = response.body?.getReader();
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          await life.step('bytes');
          const { done, value } = (await reader?.read()) ?? { done: true };
          if (done) controller.close();
          else controller.enqueue(value);
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status, headers });
  }) as typeof fetch;
}

/** A history: one installation, its releases, and lives that end with crashes. */
function historyOf(seed: number) {
  const random = randomFrom(seed);
  const plane = scriptedPlane();
  const disk: Disk = { record: undefined, bundles: new Map() };
  /** Builds whose app never works. */
  const broken = new Set<string>();
  /** Builds that ran while nothing had confirmed them, and those that the app was confirming. */
  const [ranOnTrial, confirming] = [new Set<string>(), new Set<string>()];
  const rolledBack = new Set<string>();

  /** The same in every history, so that no statement needs to be signed twice. */
  const bytes = () => Buffer.alloc(1_000 + 200 * plane.builds.length, plane.builds.length + 1);
  function release(works: boolean): ScriptedBuild {
    const build = plane.release(bytes());
    if (!works) broken.add(build.bundleId);
    return build;
  }

  /** A whole life: starts what the updater chooses, confirms it if it works, and updates. Answers the version that ran. */
  async function live(life: Life, faults: number): Promise<string> {
    const updater = createUpdaterIn(
      { ...plane.options, storage: storageOf(disk, life, random), fetch: networkOf(plane, life, random, faults) },
      { now: plane.now, sleep: () => Promise.resolve(), random: random.next },
    );
    const { bundle, version, onTrial, rolledBack: former, error } = await updater.start();
    expect(error).toBeUndefined();
    if (former !== undefined) rolledBack.add(former.id);
    if (bundle !== undefined) {
      const build = plane.builds.find(({ bundleId }) => bundleId === bundle.id);
      // Unchanged from what was released, and never twice without a confirmation.
      expect(Buffer.compare(await bundle.read(), build!.bytes)).toBe(0);
      const ranBefore = ranOnTrial.has(bundle.id) && !confirming.has(bundle.id);
      expect({ seed, version, ranBefore, isRolledBack: rolledBack.has(bundle.id) }).toEqual({
        ...{ seed, version, ranBefore: false, isRolledBack: false },
      });
      if (onTrial) ranOnTrial.add(bundle.id);
      if (!onTrial) expect(confirming).toContain(bundle.id);
    } else expect(version).toBe('1.0.0');
    if (bundle === undefined || !broken.has(bundle.id)) {
      if (bundle !== undefined) confirming.add(bundle.id);
      await updater.confirm();
    }
    await updater.sync({ signal: life.signal }).catch((fault: unknown) => {
      if (faults === 0) throw fault;
    });
    return version;
  }

  return {
    plane,
    rolledBack,
    /** Answers the kind of step that the app crashed at; undefined: it came to its end. */
    crash: async (): Promise<string | undefined> => {
      if (random.chance(0.6)) release(random.chance(0.6));
      if (random.chance(0.1))
        plane.builds
          .filter(({ isActive }) => isActive)
          .slice(-1)
          .forEach(plane.withdraw);
      if (random.chance(0.1)) damage(disk, random);
      const life = lifeOf(random.below(50));
      const step = await Promise.race([life.died, live(life, 0.15).then(() => undefined)]);
      life.end();
      return step;
    },
    /** Nothing fails any longer: a new release runs within three lives. */
    recover: async (): Promise<void> => {
      const { version } = release(true);
      // An older build may be on trial first, and be rolled back by the second life.
      const versions: string[] = [];
      while (versions.length < 3 && versions.at(-1) !== version) versions.push(await live(lifeOf(Infinity), 0));
      expect({ seed, version: versions.at(-1) }).toEqual({ seed, version });
    },
  };
}

it(`runs only bundles that were verified, none twice unconfirmed, and recovers, through ${CRASHES} crashes`, async () => {
  const steps = new Map<string, number>();
  let [seed, crashes, rollbacks] = [SEED, 0, 0];
  while (crashes < CRASHES) {
    const { crash, recover, plane, rolledBack } = historyOf((seed += 1));
    for (let lives = 0; lives < LIVES; lives += 1) {
      const step = await crash();
      if (step !== undefined) crashes += 1;
      steps.set(step ?? 'none', (steps.get(step ?? 'none') ?? 0) + 1);
    }
    await recover();
    const reported = plane.reports.filter(({ status }) => status === 'rollback').map(({ bundle_id: id }) => id);
    // A crash may come between a rollback and the result of start().
    expect(reported).toEqual(expect.arrayContaining([...rolledBack]));
    rollbacks += new Set(reported).size;
  }
  // The app crashed at every kind of step, and often enough for every path.
  const kinds = ['append', 'bundles', 'bytes', 'delete', 'fetch', 'none', 'read', 'sizeOf', 'updateState'];
  expect([...steps.keys()].sort()).toEqual(kinds);
  expect(rollbacks).toBeGreaterThan(50);
}, 60_000);

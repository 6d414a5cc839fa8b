import { type EventStore, START } from '@sluice/event-store';
import { recordingLogger, type RecordingLogger } from '@sluice/testing';
import { append, type ParcelEvent, sent, signal, type StoresFixture } from './parcels.contract';
import type { DocumentStore, Row } from '@sluice/document-store';
import { type ProcessManager, type RunningProcess, startProcess } from '../process-manager';

interface ProcessRow extends Row {
  readonly position: string;
  readonly store: string;
}

/** How process managers run on an engine of the state store. */
export function processManagerContract(engine: string, create: () => Promise<StoresFixture>): void {
  describe(`process managers on ${engine}`, () => {
    let stores: StoresFixture;
    let events: EventStore;
    let state: DocumentStore;
    const running: RunningProcess[] = [];
    let logger: RecordingLogger;
    let seen: string[];

    /** Resolves when the event of this parcel has been handled. */
    const start = async (
      react: (id: string, stopping: AbortSignal) => void | Promise<void> = () => undefined,
      { until = '', on = state, from = events } = {},
    ) => {
      const done = signal();
      const process: ProcessManager<ParcelEvent> = {
        name: 'courier',
        prefixes: ['parcel-'],
        react: async ({ data }, stopping) => {
          const id = 'id' in data ? data.id : '';
          await react(id, stopping);
          seen.push(id);
          if (id === until) done.give();
        },
      };
      const started = await startProcess({ events: from, state: on, process, logger });
      running.push(started);
      if (until) await done.given;
      return started;
    };
    const row = () => state.rows<ProcessRow>({ name: 'processes', indexes: [] }).get('courier');

    beforeEach(async () => {
      stores = await create();
      events = await stores.events();
      state = await stores.documents();
      logger = recordingLogger();
      seen = [];
    });
    afterEach(async () => {
      await Promise.all(running.splice(0).map((process) => process.close()));
      await stores.remove();
    });

    it('handles every event of its streams from the first on, in order', async () => {
      await append(events, [sent('1'), sent('2')]);
      await append(events, [sent('letter')], 'letter-');
      await append(events, [sent('3')]);
      const process = await start(undefined, { until: '3' });
      const next = start(undefined, { until: '4', on: await stores.documents() });
      await process.close();
      const position = await append(events, [sent('4')]);
      await (await next).close();
      expect([...new Set(seen)]).toEqual(['1', '2', '3', '4']);
      expect(await row()).toEqual({ id: 'courier', position, store: await events.identity() });
    });

    it('resumes after what was handled', async () => {
      await append(events, [sent('1'), sent('2')]);
      const first = await start(undefined, { until: '2' });
      await first.close();
      await append(events, [sent('3')]);
      await (await start(undefined, { until: '3' })).close();
      expect(seen).toEqual(['1', '2', '3']);
    });

    it('stops a reaction, and reacts again to what it left, at the next start', async () => {
      await append(events, [sent('1')]);
      const reached = signal();
      const process = await start(async (_, stopping) => {
        reached.give();
        await new Promise((_resolve, reject) =>
          stopping.addEventListener('abort', () => reject(new Error('half done')), { once: true }),
        );
      });
      await reached.given;
      await process.close();
      expect([seen, logger.messages]).toEqual([[], []]);
      await (await start(undefined, { until: '1' })).close();
      expect(seen).toEqual(['1']);
    });

    it('records what was handled when it is closed within a batch', async () => {
      await append(events, [sent('1'), sent('2'), sent('3')]);
      const reached = signal();
      const proceed = signal();
      const process = await start(async (id) => {
        if (id !== '2') return;
        reached.give();
        await proceed.given;
      });
      await reached.given;
      const closed = process.close();
      proceed.give();
      await closed;
      expect(seen).toEqual(['1', '2']);
      await (await start(undefined, { until: '3' })).close();
      expect(seen).toEqual(['1', '2', '3']);
    });

    it('tries a failed reaction again before anything past it, and reports each fault once', async () => {
      const faults = ['flat tyre', 'flat tyre', 'no petrol'];
      await append(events, [sent('1'), sent('2'), sent('3')]);
      await start(
        (id) => {
          const fault = id === '2' ? faults.shift() : undefined;
          if (fault) throw new Error(fault);
        },
        { until: '3' },
      );
      expect(seen).toEqual(['1', '2', '3']);
      expect(logger.messages).toEqual([
        'Process "courier" stopped: flat tyre',
        'Process "courier" stopped: no petrol',
        'Process "courier" continues.',
      ]);
    });

    it('closes while a reaction fails, and takes it up again at the next start', async () => {
      await append(events, [sent('1'), sent('2')]);
      const failed = signal();
      const process = await start((id) => {
        if (id !== '2') return;
        failed.give();
        throw new Error('flat tyre');
      });
      await failed.given;
      await process.close();
      await (await start(undefined, { until: '2' })).close();
      expect(seen).toEqual(['1', '2']);
    });

    it('leaves out what another replica has handled, and never moves the checkpoint backwards', async () => {
      const handles = [state, await stores.documents()];
      for (let n = 1; n <= 300; n += 1) await append(events, [sent(`${n}`)]);
      await Promise.race(handles.map((on) => start(undefined, { until: '300', on })));
      await Promise.all(running.splice(0).map((process) => process.close()));
      expect([...new Set(seen)]).toHaveLength(300);
      const end = await row();
      expect(end?.position).toBe(await events.head());

      const slow = signal();
      const reached = signal();
      await append(events, [sent('a')]);
      const late = await start(async () => {
        reached.give();
        await slow.given;
      });
      await reached.given;
      const other = await start(undefined, { on: handles[1]!, until: 'a' });
      await append(events, [sent('b'), sent('c')]);
      await other.close();
      const ahead = await row();
      slow.give();
      await late.close();
      expect((await row())!.position >= ahead!.position).toBe(true);
    });

    it('waits while the state store is unavailable', async () => {
      await append(events, [sent('1')]);
      let away = 2;
      const failing: DocumentStore = {
        ...state,
        rows: (collection) => {
          const rows = state.rows(collection);
          const getVersioned: typeof rows.getVersioned = (id) =>
            away-- > 0 ? Promise.reject(new Error('no state store')) : rows.getVersioned(id);
          return { ...rows, getVersioned };
        },
      };
      await start(undefined, { on: failing, until: '1' });
      expect(logger.messages).toEqual([expect.stringContaining('no state store'), 'Process "courier" continues.']);
    });

    it('does nothing after a checkpoint of another event store, and reports what to do', async () => {
      await append(events, [sent('1')]);
      await (await start(undefined, { until: '1' })).close();
      const foreign = await stores.otherEvents();
      await append(foreign, [sent('x'), sent('y')]);
      const process = await start(undefined, { from: foreign });
      await process.close();
      expect(seen).toEqual(['1']);
      expect(process.position).toBe(START);
      expect((await row())?.store).toBe(await events.identity());
    });
  });
}

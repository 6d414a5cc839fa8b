import type { ProjectionStatus, ProjectionTask } from '@sluice/contracts';
import type { Command } from './commander';
import { ownerClient, withServer, type ServerOptions } from './connection';
import type { Context } from './context';
import { Failure } from './failure';
import type { ApiClient } from './http-client';

const POLL_MS = 500;

type Kind = ProjectionTask['kind'];

/** `sluice projections …`: commands of the operator. */
export function addProjectionsCommands(program: Command, context: Context): void {
  const projections = program
    .command('projections')
    .description("the read models (needs the operator's owner key: OWNER_KEY, or DATA_DIR/owner.key)");
  const all = (client: ApiClient) => client.call<ProjectionStatus[]>('list the projections', 'GET', '/projections');

  withServer(
    projections.command('list').description('list the read models with their position in the event store'),
  ).action(async (options) => {
    await context.output.list(await all(await ownerClient(options, context)), {
      ...{ name: 'name', service: 'service', version: 'version', position: 'position' },
      ...{ 'caught up': 'caught_up', stopped: 'stopped' },
      'last task': ({ task }) => task && `${task.kind} ${task.status}`,
    });
  });

  /** One after the other; answers how each ended. */
  const carryOut = async (kind: Kind, name: string | undefined, options: ServerOptions) => {
    const client = await ownerClient(options, context);
    const names = name === undefined ? (await all(client)).map((projection) => projection.name) : [name];
    const ended: { name: string; task: ProjectionTask }[] = [];
    for (const each of names) {
      const attempt = `${kind} the projection ${each}`;
      const path = `/projections/${encodeURIComponent(each)}`;
      let { task } = await client.call<ProjectionStatus>(attempt, 'POST', `${path}/${kind}`);
      while (task?.status === 'running') {
        await context.terminal.pause(POLL_MS);
        ({ task } = await client.call<ProjectionStatus>(attempt, 'GET', path));
      }
      if (task?.status !== 'completed') {
        const message = task?.error ?? 'The server was stopped meanwhile. Run the command again.';
        throw new Failure({ attempt, code: 'PROJECTION_TASK_FAILED', message });
      }
      context.output.note(`${each}: ${kind === 'rebuild' ? 'rebuilt' : 'compared'}.`);
      ended.push({ name: each, task });
    }
    return ended;
  };

  withServer(
    projections
      .command('rebuild')
      .description('rebuild read models. The current ones stay in use until the rebuild is done'),
  )
    .argument('[name]', 'name of a projection (default: all)')
    .action(async (name, options) => {
      const ended = await carryOut('rebuild', name, options);
      await context.output.list(ended, { name: 'name', rebuilt: ({ task }) => task.finished_at });
    });

  withServer(projections.command('verify').description('replay all events and compare the result with the read models'))
    .argument('[name]', 'name of a projection (default: all)')
    .action(async (name, options) => {
      const ended = await carryOut('verify', name, options);
      await context.output.list(ended, {
        name: 'name',
        rows: ({ task }) => task.verification?.rows,
        different: ({ task }) => task.verification?.different,
      });
      const damaged = ended.filter(({ task }) => task.verification?.different !== 0);
      if (damaged.length === 0) return;
      for (const { name: of, task } of damaged) {
        for (const { collection, id, kind, members } of task.verification?.differences ?? []) {
          context.output.note(
            `${of}: ${collection} ${id} is ${kind}${members.length > 0 ? `: ${members.join(', ')}` : ''}`,
          );
        }
      }
      throw new Failure({
        attempt: 'verify the read models',
        code: 'PROJECTIONS_DIFFER',
        message: `Rows differ from what the events make: ${damaged.map(({ name: of }) => of).join(', ')}.`,
        advice: 'Rebuild them while they serve: sluice projections rebuild NAME',
      });
    });
}

import { type Build, type HistoryEntry, shortCommit } from '@sluice/contracts';
import type { Command } from './commander';
import { parseId } from './arguments';
import { appPath, managementClient, ownerClient, withApp } from './connection';
import type { Context } from './context';
import type { Columns } from './output';

type Entry = HistoryEntry & { readonly actor_name: string | null };

/** `sluice history` */
export function addHistoryCommand(program: Command, context: Context): void {
  withApp(
    program.command('history').description('show who changed an app and how, newest first; includes deleted builds'),
  )
    .option('--removed', 'show the history of a deleted app; --app must be its numeric ID (needs the owner key)')
    .option('--build <id>', 'show only changes of this build', parseId)
    .option('--type <type>', 'show only events of this type, such as BuildPaused')
    .option('--actor <actor>', 'show only changes by this actor: token:ID, owner:ID or system:NAME')
    .option('--from <time>', 'show only changes from this time on, such as 2026-01-31T12:00:00Z')
    .option('--to <time>', 'show only changes up to this time')
    .action(async (options) => {
      const { app, removed, build, type, actor, from, to } = options;
      const filter = { type, actor, from, to };
      const path = appPath(app);
      const columns: Columns<Entry> = {
        at: 'at',
        who: (shown) => (shown.actor_name === null ? shown.actor : `${shown.actor_name} (${shown.actor})`),
        ...{ what: 'type', build: 'build_id', channel: 'channel', key: 'key_id', change },
      };
      if (removed === true) {
        const client = await ownerClient(options, context);
        return client.table('read the history', `${path}/history`, columns, { ...filter, build });
      }
      const ofBuild = build === undefined ? '' : `/builds/${build}`;
      return managementClient(options, context).table('read the history', `${path}${ofBuild}/history`, columns, filter);
    });
}

const LONGEST_CHANGE = 80;

/** Such as `status: active → paused`; of what was made or deleted, its version or name. */
function change({ before, after }: Entry): string {
  const whole = before === null ? after : after === null ? before : undefined;
  const told =
    whole === undefined
      ? Object.keys({ ...before, ...after }).map(
          (name) => `${name}: ${value(before?.[name])} → ${value(after?.[name])}`,
        )
      : Object.entries({ version: whole?.['version'], name: whole?.['name'], commit: commitOf(whole) }).flatMap(
          ([name, member]) => (typeof member === 'string' ? [`${name}: ${value(member)}`] : []),
        );
  const text = told.join(', ');
  return text.length > LONGEST_CHANGE ? `${text.slice(0, LONGEST_CHANGE - 1)}…` : text;
}

function commitOf(whole: HistoryEntry['after'] | undefined): string | undefined {
  const commit = (whole?.['metadata'] as Build['metadata'] | undefined)?.['commit'];
  return shortCommit(commit);
}

function value(member: unknown): string {
  return typeof member === 'string' ? member.replace(/\s+/g, ' ') : JSON.stringify(member ?? null);
}

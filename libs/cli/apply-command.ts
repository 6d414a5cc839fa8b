import { open } from 'node:fs/promises';
import type { Command } from './commander';
import { parseApplyFile } from './apply-file';
import { planOf, type Change, type CreatedKey, type Step } from './apply-plan';
import { confirm, withYes } from './confirm';
import { managementClient, ownerClient, withToken } from './connection';
import type { Context } from './context';
import { ExitCode, Failure, UsageError } from './failure';
import type { Columns } from './output';
import { readText } from './read-text';

/** With `--dry-run --exit-code`: the plan is not empty. */
const CHANGES_PENDING = 3;

/** What --json prints. */
interface Applied {
  /** What was done; with --dry-run what would be. */
  readonly changes: readonly Change[];
  /** What only --prune does. */
  readonly unpruned: readonly Change[];
  readonly dry_run: boolean;
  readonly created_keys: readonly (Pick<CreatedKey, 'id' | 'name'> & Partial<CreatedKey>)[];
}

/** `sluice apply` */
export function addApplyCommand(program: Command, context: Context): void {
  const { output } = context;
  const apply = program
    .command('apply')
    .description('bring the settings, channels and API keys of an app to the state that a YAML file describes');
  withYes(withToken(apply))
    .argument('<file>', 'YAML file')
    .option('--dry-run', 'print the plan, and change nothing')
    .option('--exit-code', `with --dry-run: exit with ${CHANGES_PENDING} if there is something to change`)
    .option('--prune', 'also revoke keys that are not in the file, and allow a lower keep_builds (deletes builds)')
    .option(
      '--keys-file <file>',
      'write the secrets of new keys to a new file that only you can read, instead of printing them',
    )
    .action(async (path, options) => {
      const { dryRun = false, exitCode = false, prune = false, keysFile, json = false } = options;
      if (exitCode && !dryRun) throw new UsageError('--exit-code needs --dry-run.');
      const file = await parseApplyFile(await readText('file', path), path);
      const client = managementClient(options, context);
      const all = await planOf(file, client);
      const steps = prune ? all : all.filter(({ changes }) => changes.every(({ action }) => action !== 'remove'));
      const changes = changesOf(steps);
      const unpruned = changesOf(all.filter((step) => !steps.includes(step)));

      if (!json) {
        if (changes.length > 0) await output.list(changes, PLAN);
        output.note(changes.length > 0 ? summaryOf(changes) : 'Nothing to change.');
        for (const { subject, member, note } of unpruned) {
          output.note(`Only with --prune: ${[subject, member, note].filter(Boolean).join(' ')}`);
        }
      }
      if (dryRun || changes.length === 0) {
        output.json({ changes, unpruned, dry_run: dryRun, created_keys: [] } satisfies Applied);
        if (exitCode && changes.length > 0) throw new ExitCode(CHANGES_PENDING);
        return;
      }

      const attempt = `apply ${path}`;
      await confirm(attempt, 'Nothing was changed.', options, context, () => `Apply this to ${file.wanted.app}?`);
      const owner = steps.some(({ needsOwner }) => needsOwner) ? await ownerClient(options, context) : undefined;
      const keysHandle =
        keysFile === undefined || !steps.some(({ createsKey }) => createsKey) ? undefined : await create(keysFile);
      const done: Step[] = [];
      const created: CreatedKey[] = [];
      try {
        for (const step of steps) {
          const key = await step.run({ client, owner });
          if (key !== undefined) created.push(key);
          done.push(step);
        }
      } finally {
        // What was done before a failure, too: these secrets were made.
        const secrets = Object.fromEntries(created.map(({ name, plaintext_key: key }) => [name, key]));
        await keysHandle?.writeFile(`${JSON.stringify(secrets, null, 2)}\n`);
        await keysHandle?.close();
        const shown = created.map(({ id, name, plaintext_key }) =>
          keysHandle === undefined ? { id, name, plaintext_key } : { id, name },
        );
        const applied = { changes: changesOf(done), unpruned, dry_run: false, created_keys: shown } satisfies Applied;
        if (!output.json(applied)) {
          if (keysHandle !== undefined) output.note(`The secrets of new keys are in ${keysFile}.`);
          else if (created.length > 0) output.result(secrets, () => secrets);
          output.note(`Done: ${applied.changes.length} of ${changes.length}.`);
        }
      }
    });
}

const changesOf = (steps: readonly Step[]) => steps.flatMap((step) => step.changes);

const PLAN: Columns<Change> = {
  action: 'action',
  what: 'subject',
  member: ({ member }) => member ?? '',
  before: ({ before }) => brief(before),
  after: ({ after, note }) => [brief(after), note].filter(Boolean).join(', '),
};

const LONGEST = 60;

function brief(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}

function summaryOf(changes: readonly Change[]): string {
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  return `To create: ${count('create')}, to change: ${count('change')}, to remove: ${count('remove')}.`;
}

/** For the user alone; never replaces a file. */
async function create(path: string) {
  return open(path, 'wx', 0o600).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure({ attempt: `create ${path}`, code: code ?? 'DISK', message, cause: error });
  });
}

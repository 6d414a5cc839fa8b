import type { EffectiveSettings } from '@sluice/contracts';
import type { Command } from './commander';
import { ownerClient, withServer } from './connection';
import type { Context } from './context';

/** `sluice settings` */
export function addSettingsCommand(program: Command, context: Context): void {
  withServer(
    program
      .command('settings')
      .description(
        'show the effective settings of the server, without secrets (needs the owner key: OWNER_KEY, or DATA_DIR/owner.key)',
      ),
  ).action(async (options) =>
    (await ownerClient(options, context)).show<EffectiveSettings>('read the settings', 'GET', '/settings', (shown) =>
      Object.fromEntries(rows(shown)),
    ),
  );
}

/** Such as `limits: apps`, 100; what the server does not tell is left out. */
function rows(settings: object, group = ''): [string, string | number | boolean][] {
  return Object.entries(settings).flatMap(([name, value]: [string, unknown]) => {
    const label = `${group}${name.replaceAll('_', ' ')}`;
    if (value === null) return [];
    if (Array.isArray(value)) return [[label, value.join(', ')]];
    if (typeof value === 'object') return rows(value, `${label}: `);
    return [[label, value as string | number | boolean]];
  });
}

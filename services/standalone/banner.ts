import { relative } from 'node:path';
import type { Settings } from '@sluice/config';
import pc from 'picocolors';

/** Where the command `sluice` looks by default. */
const USUAL = { address: 'http://127.0.0.1:8080', dataDir: 'data' };

/**
 * What a person who has just started the server wants to know next.
 * @param command runs the CLI
 */
export function banner(address: string, settings: Settings, command: string): string {
  const inside = relative(process.cwd(), settings.dataDir) || '.';
  const dataDir = inside.startsWith('..') ? settings.dataDir : inside;
  const told = [
    ...(inside === USUAL.dataDir ? [] : [`DATA_DIR=${settings.dataDir}`]),
    ...(address === USUAL.address ? [] : [`SLUICE_SERVER=${address}`]),
  ];
  const lines = [
    `${pc.bold('Sluice')} answers at ${pc.cyan(address)}`,
    '',
    `  console      ${address}/console (sign in with the key in owner.key)`,
    `  management   ${address}/api/public/v1`,
    `  devices      ${address}/api/v1`,
    `  health       ${address}/health/ready`,
    `  data         ${dataDir} (owner.key is yours; keep it secret)`,
    '',
    'Make an access token, in another terminal:',
    '',
    `  ${pc.green([...told, `${command} token create --name laptop --all-apps`].join(' '))}`,
    '',
  ];
  return `\n${lines.join('\n')}\n`;
}

import { relative } from 'node:path';
import type { Settings } from '@sluice/config';
import pc from 'picocolors';

/** What a person who has just typed `npm start` wants to know next. */
export function banner(address: string, settings: Settings): string {
  const dataDir = relative(process.cwd(), settings.dataDir) || '.';
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
    `  ${pc.green('npx sluice token create --name ci --all-apps --permission builds.delete --json')}`,
    '',
  ];
  return `\n${lines.join('\n')}\n`;
}

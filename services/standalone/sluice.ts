#!/usr/bin/env node
import { runCommandLine } from '@sluice/cli';
import { commandOrStart, serverCommands } from './server-commands';

/** The command `sluice` of a checkout. */
void runCommandLine(
  commandOrStart(process.argv.slice(2)),
  serverCommands('npx sluice', () => import('./main.js')),
);

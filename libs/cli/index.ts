export { runCommandLine } from './command-line';
export type { Context } from './context';
export { Failure } from './failure';
export { formatBytes } from './output';
export { run, type AddCommands } from './program';
export type { Terminal } from './terminal';

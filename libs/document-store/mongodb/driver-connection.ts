import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

/** Of a connection of the driver, which it does not export: what is used here. */
interface DriverConnection extends EventEmitter {
  /** Why it closed. */
  readonly error: Error | null;
  writeCommand(command: unknown, options: unknown): Promise<void>;
  command(namespace: { readonly db: string }, command: object): Promise<unknown>;
}

// eslint-disable-next-line @typescript-eslint/no-require-imports -- a module of the driver without types, which bundlers follow
const { Connection } = require('mongodb/lib/cmap/connection') as {
  Connection: new (socket: Socket, options: object) => DriverConnection;
};

/**
 * A connection whose writes end when it closes. The driver's own (seen in 7.9.0) waits for the socket to
 * drain, and a socket that is destroyed never does: one that the other side ended a moment before is still
 * written to. A command is then never answered, and where it is the monitor's, the server never looked at again.
 */
export class EndingConnection extends Connection {
  override async writeCommand(command: unknown, options: unknown): Promise<void> {
    let end: () => void = () => undefined;
    const closed = new Promise<never>((_, reject) => {
      end = () => reject(this.error ?? new Error('The connection closed.'));
      this.once('close', end);
    });
    try {
      await Promise.race([super.writeCommand(command, options), closed]);
    } finally {
      this.off('close', end);
    }
  }
}

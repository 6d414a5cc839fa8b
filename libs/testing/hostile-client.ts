import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A TCP client that says what it likes. */
export interface RawClient {
  readonly socket: Socket;
  /** Everything that the server has said so far. */
  readonly heard: () => string;
  /** Resolves with what the server has said once the connection has ended, on either side. */
  readonly closed: Promise<string>;
}

export async function connectRaw(address: string): Promise<RawClient> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  let heard = '';
  socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
  // A reset is one of the ways in which a server may end a connection.
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(heard)));
  await Promise.race([once(socket, 'connect'), closed]);
  return { socket, heard: () => heard, closed };
}

/** An upload on a connection of its own as far as these bytes of its file; unless they end the form, more are due. */
export function uploadBeginning(path: string, token: string, file: string): string {
  const field = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const body =
    field('version', '90.0.0') +
    field('channel', 'staging') +
    `--b\r\nContent-Disposition: form-data; name="file"; filename="b.zip"\r\n\r\n${file}`;
  const length = body.endsWith('--b--\r\n') ? body.length : body.length + 100_000;
  return (
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
    `Connection: close\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${length}\r\n\r\n${body}`
  );
}

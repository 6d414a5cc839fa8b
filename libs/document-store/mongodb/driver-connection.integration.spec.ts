import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { clientOf } from './connection';
import { EndingConnection } from './driver-connection';

it('ends a command on a destroyed socket that has not emitted `close`', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    const connection = new EndingConnection(socket, { id: 1 });
    socket.destroy();
    await expect(connection.command({ db: 'admin' }, { ping: 1 })).rejects.toThrow(/^connection 1 to .* closed$/);
  } finally {
    socket.destroy();
    server.close();
  }
});

it('is the class that the driver connects with', async () => {
  const written = jest.spyOn(EndingConnection.prototype, 'writeCommand');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = clientOf(`mongodb://127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    const connecting = client.connect().catch(() => undefined);
    const [socket] = (await once(server, 'connection')) as [Socket];
    await once(socket, 'data');
    expect(written).toHaveBeenCalled();
    await client.close();
    socket.destroy();
    await connecting;
  } finally {
    await client.close();
    server.close();
  }
});

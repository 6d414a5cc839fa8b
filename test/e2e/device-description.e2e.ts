import fastify from 'fastify';
import { registerDeviceRoutes, type DeviceRoutesOptions } from '../../services/device-updates/device-routes';
import { devicePlane } from '../../services/device-updates/http/openapi';

/** Of operation, or of the protocol of another client: not of the plane. */
const isBeside = (route: string) => / \/(api\/health|compat\/|files\/)/.test(route) || route === 'OPTIONS /api/v1/*';

it('describes every route of the device plane in services/device-updates/http/openapi.ts, and no other', async () => {
  const served: string[] = [];
  const server = fastify({ exposeHeadRoutes: false });
  server.addHook('onRoute', ({ method, url }) => void served.push(...[method].flat().map((name) => `${name} ${url}`)));
  // Routes are registered, none is called.
  registerDeviceRoutes(server, { index: {} } as DeviceRoutesOptions);
  await server.ready();
  await server.close();
  const described = devicePlane.routes.map(({ method, url }) => `${method} ${url}`);
  expect(described.sort()).toEqual(served.filter((route) => !isBeside(route)).sort());
});

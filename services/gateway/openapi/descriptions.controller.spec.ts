import { readSettings } from '@sluice/config';
import { UnavailableError } from '@sluice/kernel';
import type { OpenApiDocument } from '@sluice/openapi';
import { gatewaySettings } from '../config/gateway.settings';
import type { DevicePlane, PresentedPlane } from '../http/device-plane';
import { DescriptionsController } from './descriptions.controller';

const description = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Install reports', description: '', version: '1.0.0', license: {} },
  servers: [{ url: '/api/v1' }],
  ...{ tags: [], paths: {}, components: { schemas: {}, securitySchemes: {} } },
});

let presented: Partial<PresentedPlane>;
const controller = new DescriptionsController(readSettings({}, gatewaySettings), () => 'http://sluice', {
  presented: () => Promise.resolve(presented),
} as DevicePlane);
const serversOf = async (file: string) =>
  (JSON.parse(await controller.description(file)) as OpenApiDocument).servers.map(({ url }) => url);

it('serves the planes of the gateway while the description of the device plane is unavailable', async () => {
  presented = { url: 'http://sluice' };
  expect(await serversOf('management.json')).toEqual(['/api/public/v1']);
  await expect(controller.description('device.json')).rejects.toThrow(UnavailableError);
  await expect(controller.description('other.json')).rejects.toThrow('There is no such description');
});

it('serves the description that the device plane publishes', async () => {
  presented = { url: 'http://sluice', description };
  expect(await serversOf('device.json')).toEqual(['/api/v1']);
  presented = { url: 'http://devices', description };
  expect(await serversOf('device.json')).toEqual(['http://devices/api/v1']);
});

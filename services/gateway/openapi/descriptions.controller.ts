import { Controller, Get, Header, Inject, Param } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { SETTINGS, type Settings } from '@sluice/config';
import { PUBLIC_URL, type PublicUrl } from '@sluice/service-host';
import { DomainError, UnavailableError } from '@sluice/kernel';
import { DevicePlane } from '../http/device-plane';
import { LISTINGS, listingsBase } from '../listings/plane/namespace';
import { describePlane, type OpenApiDocument } from '@sluice/openapi';
import { PLANES } from './planes';

const DEVICE_FILE = 'device.json';

/** The API descriptions as JSON, open to anyone. */
@Controller()
export class DescriptionsController {
  private latest: Described | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(PUBLIC_URL) private readonly publicUrl: PublicUrl,
    private readonly devices: DevicePlane,
  ) {}

  @Get('openapi/:file')
  @RouteConfig({ access: 'open' })
  @Header('Content-Type', 'application/json; charset=utf-8')
  async description(@Param('file') file: string): Promise<string> {
    const { texts } = await this.described();
    const text = texts.get(file);
    if (text !== undefined) return text;
    if (file === DEVICE_FILE)
      throw new UnavailableError('The description of the device API is not available yet. Try again.');
    throw new DomainError('NOT_FOUND', `There is no such description. Available: ${[...texts.keys()].join(', ')}.`);
  }

  private async described(): Promise<Described> {
    const { url, description } = await this.devices.presented();
    const devicesAt = url === this.publicUrl() ? undefined : url;
    const { latest } = this;
    if (latest !== undefined && latest.devicesAt === devicesAt && latest.devices === description) return latest;
    return (this.latest = {
      texts: describeAll(this.settings, description, devicesAt),
      devicesAt,
      devices: description,
    });
  }
}

/** The descriptions by file. */
interface Described {
  /** What the device plane said of itself. */
  readonly devices: string | undefined;
  /** Its address, where that is its own. */
  readonly devicesAt: string | undefined;
  readonly texts: ReadonlyMap<string, string>;
}

function describeAll(
  { pluginNamespace }: Settings,
  devices: string | undefined,
  devicesAt = '',
): ReadonlyMap<string, string> {
  const described = Object.entries(PLANES).map(([name, plane]) => ({
    file: `${name}.json`,
    description: describePlane(plane, plane.base === LISTINGS ? listingsBase(pluginNamespace) : plane.base),
  }));
  if (devices !== undefined) {
    const description = JSON.parse(devices) as OpenApiDocument;
    const servers = description.servers.map(({ url }) => ({ url: `${devicesAt}${url}` }));
    described.push({ file: DEVICE_FILE, description: { ...description, servers } });
  }
  return new Map(described.map(({ file, description }) => [file, JSON.stringify(description)]));
}

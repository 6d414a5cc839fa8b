import { Controller, Get, Header, Inject, Param } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { SETTINGS, type Settings } from '@sluice/config';
import { PUBLIC_URL, type PublicUrl } from '@sluice/engines';
import { DomainError } from '@sluice/kernel';
import { DevicePlane } from '../device-plane';
import { LISTINGS, listingsBase } from '../listings/namespace';
import { describePlane } from './document';
import { docsPage } from './docs-page';
import { PLANES } from './planes';

/** What the page is allowed to do does not depend on what it tells. */
const POLICY = docsPage([]).policy;

/** What the planes take and answer, for programs and for people; open to anyone. */
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
    if (text === undefined) {
      throw new DomainError('NOT_FOUND', `There are these descriptions: ${[...texts.keys()].join(', ')}.`);
    }
    return text;
  }

  @Get('docs')
  @RouteConfig({ access: 'open' })
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', POLICY)
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Referrer-Policy', 'no-referrer')
  async docs(): Promise<string> {
    return (await this.described()).page;
  }

  private async described(): Promise<Described> {
    const url = await this.devices.url();
    const { base } = PLANES.device;
    const devicesAt = url === undefined || url === this.publicUrl() ? base : `${url}${base}`;
    if (this.latest?.devicesAt !== devicesAt) this.latest = describeAll(devicesAt, this.settings);
    return this.latest;
  }
}

/** The descriptions by file, and as a page. */
interface Described {
  /** The base of the device plane: absolute where that has an address of its own. */
  readonly devicesAt: string;
  readonly texts: ReadonlyMap<string, string>;
  readonly page: string;
}

function describeAll(devicesAt: string, { pluginNamespace }: Settings): Described {
  const bases: Readonly<Record<string, string>> = {
    [LISTINGS]: listingsBase(pluginNamespace),
    [PLANES.device.base]: devicesAt,
  };
  const described = Object.entries(PLANES).map(([name, plane]) => ({
    file: `${name}.json`,
    description: describePlane(plane, bases[plane.base]),
  }));
  const texts = new Map(described.map(({ file, description }) => [file, JSON.stringify(description)]));
  return { devicesAt, texts, page: docsPage(described).html };
}

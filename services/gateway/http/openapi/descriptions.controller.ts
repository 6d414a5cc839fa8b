import { Controller, Get, Header, Inject, Param } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import { DomainError } from '@sluice/kernel';
import { LISTINGS, listingsBase } from '../listings/namespace';
import { describePlane } from './document';
import { docsPage } from './docs-page';
import { PLANES } from './planes';

/** What the page is allowed to do does not depend on what it tells. */
const POLICY = docsPage([]).policy;

/** What the planes take and answer, for programs and for people; open to anyone. */
@Controller()
export class DescriptionsController {
  private readonly texts: ReadonlyMap<string, string>;
  private readonly page: string;

  constructor(@Inject(SETTINGS) { pluginNamespace }: Settings) {
    const described = Object.entries(PLANES).map(([name, plane]) => ({
      file: `${name}.json`,
      description: describePlane(plane, plane.base === LISTINGS ? listingsBase(pluginNamespace) : plane.base),
    }));
    this.texts = new Map(described.map(({ file, description }) => [file, JSON.stringify(description)]));
    this.page = docsPage(described).html;
  }

  @Get('openapi/:file')
  @Header('Content-Type', 'application/json; charset=utf-8')
  description(@Param('file') file: string): string {
    const text = this.texts.get(file);
    if (text === undefined) {
      throw new DomainError('NOT_FOUND', `There are these descriptions: ${[...this.texts.keys()].join(', ')}.`);
    }
    return text;
  }

  @Get('docs')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', POLICY)
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Referrer-Policy', 'no-referrer')
  docs(): string {
    return this.page;
  }
}

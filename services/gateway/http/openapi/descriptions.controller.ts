import { Controller, Get, Header, Param } from '@nestjs/common';
import { DomainError } from '@sluice/kernel';
import { describePlane } from './document';
import { docsPage } from './docs-page';
import { PLANES } from './planes';

const DESCRIPTIONS = new Map(Object.entries(PLANES).map(([name, plane]) => [`${name}.json`, describePlane(plane)]));
const TEXTS = new Map([...DESCRIPTIONS].map(([file, description]) => [file, JSON.stringify(description)]));
const PAGE = docsPage([...DESCRIPTIONS].map(([file, description]) => ({ file, description })));

/** What the planes take and answer, for programs and for people; open to anyone. */
@Controller()
export class DescriptionsController {
  @Get('openapi/:file')
  @Header('Content-Type', 'application/json; charset=utf-8')
  description(@Param('file') file: string): string {
    const text = TEXTS.get(file);
    if (text === undefined) {
      throw new DomainError('NOT_FOUND', `There are these descriptions: ${[...TEXTS.keys()].join(', ')}.`);
    }
    return text;
  }

  @Get('docs')
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', PAGE.policy)
  @Header('X-Content-Type-Options', 'nosniff')
  @Header('Referrer-Policy', 'no-referrer')
  docs(): string {
    return PAGE.html;
  }
}

import { type IncomingMessage, maxHeaderSize } from 'node:http';
import { SETTINGS } from '@sluice/config';
import { CLOCK, LOGGER, type Clock, type Logger, type ServiceDefinition } from '@sluice/service-host';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { GatewaySettings } from './config/gateway.settings';
import { GatewayModule } from './gateway.module';
import { CONSOLE_FOLDER, serveConsole } from './console/console';
import { DOCUMENTATION_FOLDER, serveDocumentation } from './documentation/documentation';
import { EnvelopeFilter, errorReplyAt } from './http/envelope.filter';
import { EventStreams } from './live/event-streams';
import { Idempotency } from './idempotency/idempotency';
import { Limits } from './limits/limits';
import { innerUrl } from './listings/plane/namespace';
import { ROUTES } from './openapi/planes';
import { guardPlanes } from './http/planes';
import { serveRoutes } from './http/route';
import { Sessions } from './access/sessions';
import { TokenUse } from './access/token-usage';
import { Uploads } from './uploads/uploads';
import { AccessIndex } from './access/access-index';

/** Fastify keeps it where it puts another in its place. */
function askedUrl(request: IncomingMessage & { readonly originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? '/';
}

export const gateway: ServiceDefinition = {
  name: 'gateway',
  module: GatewayModule,
  needs: ['events', 'stateStore', 'objects', 'vault'],
  projections: [],
  plane: {
    prefixes: ['/'],
    // Before the length check: a request without a token gets 401 first, however long the name is.
    maxParamLength: maxHeaderSize,
    innerUrl: (url, { pluginNamespace }) => innerUrl(url, pluginNamespace),
    // Before the start, the URL is as the client sent it.
    refusal: (request, error, { pluginNamespace }) => errorReplyAt(innerUrl(askedUrl(request), pluginNamespace), error),
    envelope: (url, error, { pluginNamespace }) => errorReplyAt(innerUrl(url, pluginNamespace), error).body,
    configure: (app) => {
      app.useGlobalFilters(new EnvelopeFilter(app.get<Logger>(LOGGER, { strict: false })));
      const fastify = app.getHttpAdapter().getInstance();
      const clock = app.get<Clock>(CLOCK, { strict: false });
      const messaging = app.get<Messaging>(MESSAGING, { strict: false });
      guardPlanes(fastify, {
        ...{ clock, messaging, state: app.get(AccessIndex).state },
        limits: app.get(Limits),
        tokenUse: app.get(TokenUse),
        sessions: app.get(Sessions),
        idempotency: app.get(Idempotency),
        uploads: app.get(Uploads),
        logger: app.get<Logger>(LOGGER, { strict: false }),
        hstsSeconds: app.get<GatewaySettings>(SETTINGS, { strict: false }).hstsSeconds,
      });
      serveRoutes(fastify, ROUTES, { messaging, find: (controller) => app.get<object>(controller) });
      serveConsole(fastify, CONSOLE_FOLDER);
      serveDocumentation(fastify, DOCUMENTATION_FOLDER);
      return undefined;
    },
    stopping: (app) => app.get(EventStreams).stop(),
    readiness: (app) => ({ degraded: app.get(AccessIndex).current ? [] : ['access-events'] }),
  },
};

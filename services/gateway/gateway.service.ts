import { CLOCK, LOGGER, REPORT, type Clock, type Logger, type Report, type ServiceDefinition } from '@sluice/engines';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { GatewayModule } from './gateway.module';
import { EnvelopeFilter, errorReplyAt } from './http/envelope.filter';
import { Idempotency } from './http/idempotency';
import { Limits } from './http/limits';
import { guardPlanes } from './http/planes';
import { Sessions } from './http/sessions';
import { TokenUse } from './http/token-usage';
import { Uploads } from './http/uploads';
import { AccessIndex } from './projections/access-index';

export const gateway: ServiceDefinition = {
  name: 'gateway',
  module: GatewayModule,
  projections: [],
  plane: {
    prefixes: ['/'],
    refusal: ({ url = '/' }, error) => errorReplyAt(url, error),
    configure: (app) => {
      app.useGlobalFilters(new EnvelopeFilter(app.get<Report>(REPORT, { strict: false })));
      guardPlanes(app.getHttpAdapter().getInstance(), {
        state: app.get(AccessIndex).state,
        clock: app.get<Clock>(CLOCK, { strict: false }),
        limits: app.get(Limits),
        tokenUse: app.get(TokenUse),
        sessions: app.get(Sessions),
        idempotency: app.get(Idempotency),
        uploads: app.get(Uploads),
        messaging: app.get<Messaging>(MESSAGING, { strict: false }),
        logger: app.get<Logger>(LOGGER, { strict: false }),
      });
      return undefined;
    },
    readiness: (app) => ({ degraded: app.get(AccessIndex).current ? [] : ['access-events'] }),
  },
};

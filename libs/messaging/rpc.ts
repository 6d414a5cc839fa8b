import type { Call } from '@sluice/contracts';

/**
 * Marks the method that answers a call: `@Handles(createApp)`. The body is decoded with the call's
 * schema first; a body that does not fit is refused as ValidationError.
 */
export declare function Handles(call: Call): MethodDecorator;

/** Parameter decorator: the Caller from the message's headers. */
export declare function CallerOf(): ParameterDecorator;

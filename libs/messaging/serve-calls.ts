import { Controller, type Type } from '@nestjs/common';
import { Command, CommandBus, Query, QueryBus } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { Call, Caller, ReplyOf, RequestOf } from '@sluice/contracts';

type Answer = (request: never, caller: Caller) => unknown;

/** The class of a command that one call makes: `class RotateApiKey extends CommandOf(rotateApiKey) {}`. */
export function CommandOf<C extends Call>(call: C) {
  return class extends Command<ReplyOf<C>> {
    static readonly definition: Call = call;

    constructor(
      readonly request: RequestOf<C>,
      readonly caller: Caller,
    ) {
      super();
    }
  };
}

/** The class of a query that one call makes: `class GetApiKey extends QueryOf(getApiKey) {}`. */
export function QueryOf<C extends Call>(call: C) {
  return class extends Query<ReplyOf<C>> {
    static readonly definition: Call = call;

    constructor(readonly request: RequestOf<C>) {
      super();
    }
  };
}

/** A class of {@link CommandOf} or {@link QueryOf}. */
interface CallMessage {
  readonly definition: Call;
  new (...given: Parameters<Answer>): Command<unknown> | Query<unknown>;
}

/**
 * The controller of a service's module that answers the calls of these commands and queries by their handlers. A
 * request that does not fit its call's schema is rejected as ValidationError before.
 */
export function serveCalls(...messages: readonly CallMessage[]): Type {
  @Controller()
  class CallsController {
    constructor(
      private readonly commands: CommandBus,
      private readonly queries: QueryBus,
    ) {}

    execute(message: Command<unknown> | Query<unknown>): Promise<unknown> {
      return message instanceof Command ? this.commands.execute(message) : this.queries.execute(message);
    }
  }
  for (const Message of messages) {
    handle(CallsController, Message.definition, function (this: CallsController, request: never, caller) {
      return this.execute(new Message(request, caller));
    });
  }
  return CallsController;
}

/** A call with the function that answers it, for {@link answerCalls}. */
export function answer<C extends Call>(
  call: C,
  handler: (request: RequestOf<C>, caller: Caller) => ReplyOf<C> | Promise<ReplyOf<C>>,
): readonly [Call, Answer] {
  return [call, handler];
}

/** As {@link serveCalls}, for calls that are answered by functions. */
export function answerCalls(answers: readonly (readonly [Call, Answer])[]): Type {
  @Controller()
  class AnswersController {}
  for (const [call, handler] of answers) handle(AnswersController, call, (...given) => handler(...given));
  return AnswersController;
}

function handle({ prototype }: Type, call: Call, value: Answer): void {
  const method = call.pattern;
  const descriptor = { value };
  Object.defineProperty(prototype, method, descriptor);
  MessagePattern(call.pattern, { call })(prototype as object, method, descriptor);
  Payload()(prototype as object, method, 0);
  Ctx()(prototype as object, method, 1);
}

/** The call that a handler of the transport answers. @throws Error when neither of the above registered it */
export function servedCall(extras: Readonly<Record<string, unknown>> | undefined): Call {
  const call = extras?.['call'] as Call | undefined;
  if (call === undefined) throw new Error('Handlers of requests are registered by serveCalls or answerCalls.');
  return call;
}

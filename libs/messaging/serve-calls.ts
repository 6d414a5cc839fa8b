import { Controller, type FactoryProvider, Inject, type Type } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
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

type Reply<C extends Call> = ReplyOf<C> | Promise<ReplyOf<C>>;
type MethodDecoratorOf<Method> = <M extends Method>(
  subject: object,
  name: string,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

/** What the decorated methods of a class handle: each message with the handler that the buses know. */
const handled = new WeakMap<object, { readonly message: CallMessage; readonly handler: Type }[]>();

/** Makes a method of a provider the handler of the command that one call makes. See {@link serveHandlers}. */
export function HandlesCommand<C extends Call>(
  call: C,
): MethodDecoratorOf<(request: RequestOf<C>, caller: Caller) => Reply<C>> {
  return (subject, name) => register(subject, name, CommandOf(call), CommandHandler);
}

/** Makes a method of a provider the handler of the query that one call makes. See {@link serveHandlers}. */
export function HandlesQuery<C extends Call>(call: C): MethodDecoratorOf<(request: RequestOf<C>) => Reply<C>> {
  return (subject, name) => register(subject, name, QueryOf(call), QueryHandler);
}

function register(
  subject: object,
  name: string,
  message: CallMessage,
  handles: typeof CommandHandler | typeof QueryHandler,
): void {
  class MethodHandler {
    constructor(private readonly provider: Readonly<Record<string, Answer>>) {}

    execute({ request, caller }: { readonly request: never; readonly caller: Caller }): unknown {
      return this.provider[name]?.(request, caller);
    }
  }
  Inject(subject.constructor)(MethodHandler, undefined, 0);
  handles(message)(MethodHandler);
  handled.set(subject, [...(handled.get(subject) ?? []), { message, handler: MethodHandler }]);
}

/**
 * The controllers and providers of a service's module: these classes, and their methods as handlers of the calls that
 * {@link HandlesCommand} and {@link HandlesQuery} name.
 */
export function serveHandlers(...classes: readonly (Type | FactoryProvider)[]): {
  readonly controllers: Type[];
  readonly providers: (Type | FactoryProvider)[];
} {
  const each = classes.flatMap((provider) => {
    const type = ('provide' in provider ? provider.provide : provider) as Type<unknown>;
    return handled.get(type.prototype as object) ?? [];
  });
  return {
    controllers: [serveCalls(...each.map(({ message }) => message))],
    providers: [...classes, ...each.map(({ handler }) => handler)],
  };
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

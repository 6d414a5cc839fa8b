import { Controller, type FactoryProvider, Inject, type Type } from '@nestjs/common';
import { CommandBus, CommandHandler, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { Call, Caller, ReplyOf, RequestOf } from '@sluice/contracts';

type Answer = (request: never, caller: Caller) => unknown;

type Reply<C extends Call> = ReplyOf<C> | Promise<ReplyOf<C>>;
type MethodDecoratorOf<Method> = <M extends Method>(
  subject: object,
  name: string,
  descriptor: TypedPropertyDescriptor<M>,
) => void;

/** A decorated method: its call on the message bus, and the handler that serves it. */
interface Handled {
  readonly call: Call;
  readonly isCommand: boolean;
  readonly Message: new (...given: Parameters<Answer>) => object;
  readonly Handler: Type;
}

/** By the prototype of the class. */
const handled = new WeakMap<object, Handled[]>();

/** Makes a method of a provider the handler of the command that one call makes. See {@link serveHandlers}. */
export function HandlesCommand<C extends Call>(
  call: C,
): MethodDecoratorOf<(request: RequestOf<C>, caller: Caller) => Reply<C>> {
  return (subject, name) => register(subject, name, call, true);
}

/** Makes a method of a provider the handler of the query that one call makes. See {@link serveHandlers}. */
export function HandlesQuery<C extends Call>(call: C): MethodDecoratorOf<(request: RequestOf<C>) => Reply<C>> {
  return (subject, name) => register(subject, name, call, false);
}

function register(subject: object, name: string, call: Call, isCommand: boolean): void {
  class Message {
    constructor(
      readonly request: never,
      readonly caller: Caller,
    ) {}
  }
  class Handler {
    constructor(private readonly provider: Readonly<Record<string, Answer>>) {}

    execute({ request, caller }: Message): unknown {
      return this.provider[name]?.(request, caller);
    }
  }
  Inject(subject.constructor)(Handler, undefined, 0);
  (isCommand ? CommandHandler : QueryHandler)(Message)(Handler);
  handled.set(subject, [...(handled.get(subject) ?? []), { call, isCommand, Message, Handler }]);
}

/**
 * The controllers and providers of a service's module: these classes, and their methods as handlers of the calls that
 * {@link HandlesCommand} and {@link HandlesQuery} name. A request that does not fit its call's schema is rejected as
 * ValidationError before.
 */
export function serveHandlers(...classes: readonly (Type | FactoryProvider)[]): {
  readonly controllers: Type[];
  readonly providers: (Type | FactoryProvider)[];
} {
  @Controller()
  class CallsController {
    constructor(
      readonly commands: CommandBus,
      readonly queries: QueryBus,
    ) {}
  }
  const each = classes.flatMap((provider) => {
    const type = ('provide' in provider ? provider.provide : provider) as Type<unknown>;
    return handled.get(type.prototype as object) ?? [];
  });
  for (const { call, isCommand, Message } of each) {
    handle(CallsController, call, function (this: CallsController, request: never, caller) {
      const message = new Message(request, caller);
      return isCommand ? this.commands.execute(message) : this.queries.execute(message);
    });
  }
  return { controllers: [CallsController], providers: [...classes, ...each.map(({ Handler }) => Handler)] };
}

/** A call with the function that answers it, for {@link answerCalls}. */
export function answer<C extends Call>(
  call: C,
  handler: (request: RequestOf<C>, caller: Caller) => ReplyOf<C> | Promise<ReplyOf<C>>,
): readonly [Call, Answer] {
  return [call, handler];
}

/** As {@link serveHandlers}, for calls that are answered by functions. */
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
  if (call === undefined) throw new Error('Handlers of requests are registered by serveHandlers or answerCalls.');
  return call;
}

import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import { type Caller, defineCall, type RequestOf } from '@sluice/contracts';
import { z } from 'zod';
import { HandlesCommand, HandlesQuery, serveHandlers } from './serve-calls';

const greet = defineCall('greetings.greet', z.object({ name: z.string() }), z.object({ text: z.string() }));
const count = defineCall('greetings.count', z.object({}), z.object({ greeted: z.number() }));

@Injectable()
class Words {
  readonly hello = 'Hello';
}

@Injectable()
class GreetingHandlers {
  private greeted = 0;

  constructor(private readonly words: Words) {}

  @HandlesCommand(greet)
  greet({ name }: RequestOf<typeof greet>, { actor }: Caller) {
    this.greeted += 1;
    return Promise.resolve({ text: `${this.words.hello} ${name}, says ${actor}` });
  }

  @HandlesQuery(count)
  count() {
    return { greeted: this.greeted };
  }
}

const { controllers, providers } = serveHandlers(GreetingHandlers);

@Module({ imports: [CqrsModule], controllers, providers: [...providers, Words] })
class GreetingModule {}

it('hands each call to the decorated method of one instance, through the buses', async () => {
  const app = await NestFactory.createApplicationContext(GreetingModule, { logger: false });
  const [type] = controllers;
  const controller = app.get<Record<string, (request: object, caller: Caller) => Promise<unknown>>>(type!);
  const commands = jest.spyOn(app.get(CommandBus, { strict: false }), 'execute');
  const caller = { actor: 'owner:1', commandId: 'c' };
  expect(await controller[greet.pattern]!({ name: 'Ada' }, caller)).toEqual({ text: 'Hello Ada, says owner:1' });
  expect(commands).toHaveBeenCalledTimes(1);
  expect(await controller[count.pattern]!({}, caller)).toEqual({ greeted: 1 });
  expect(commands).toHaveBeenCalledTimes(1);
  await app.close();
});

it('does not compile for a method that answers something else than its call', () => {
  const wrong = () => {
    class Wrong {
      // @ts-expect-error The reply has a text.
      @HandlesCommand(greet)
      greet() {
        return { greeted: 1 };
      }
    }
    return Wrong;
  };
  expect(wrong).not.toThrow();
});

import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { provide } from './provide';

const NAME = Symbol('Name');
const AGE = Symbol('Age');

class Person {
  constructor(readonly facts: { readonly name: string; readonly age: number }) {}
}

@Module({
  providers: [
    provide(Person, { name: NAME, age: AGE }),
    { provide: AGE, useValue: 36 },
    { provide: NAME, useValue: 'Ada' },
  ],
})
class PersonModule {}

it('passes each dependency under its own name', async () => {
  const app = await NestFactory.createApplicationContext(PersonModule, { logger: false });
  expect(app.get(Person).facts).toEqual({ name: 'Ada', age: 36 });
  await app.close();
});

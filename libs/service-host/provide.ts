import type { FactoryProvider, InjectionToken, Type } from '@nestjs/common';

/** A provider of a class that takes its dependencies as one object, by the injection token of each. */
export function provide<Dependencies extends object>(
  type: Type<unknown> & (new (dependencies: Dependencies) => unknown),
  tokens: { readonly [Name in keyof Dependencies]: InjectionToken },
): FactoryProvider {
  const names = Object.keys(tokens);
  return {
    provide: type,
    inject: Object.values<InjectionToken>(tokens),
    useFactory: (...given: unknown[]): unknown =>
      new type(Object.fromEntries(names.map((name, index) => [name, given[index]])) as Dependencies),
  };
}

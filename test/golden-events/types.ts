import { dirname, join } from 'node:path';
import ts from 'typescript';

/**
 * What the members of each event type may hold, by path: `TokenIssued.expiresAt` → `["null","string"]`. A literal
 * is written as in JSON, `undefined` for a member that may be absent.
 */
export type EventTypes = Readonly<Record<string, readonly string[]>>;

const { StringLike, NumberLike, BigIntLike, BooleanLike, VoidLike, Null } = ts.TypeFlags;
const PRIMITIVE = StringLike | NumberLike | BigIntLike | BooleanLike | VoidLike | Null;

/** Of the types named `…Event` that a file imports, as the compiler sees them. */
export function eventTypesIn(file: string): EventTypes {
  const config = join(__dirname, '..', '..', 'tsconfig.json');
  const read = ts.readConfigFile(config, (path) => ts.sys.readFile(path)).config as object;
  const { options } = ts.parseJsonConfigFileContent(read, ts.sys, dirname(config));
  // The global types of Node and Jest take most of the time, and are in no event.
  const program = ts.createProgram([file], { ...options, types: [], noEmit: true });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file)!;
  const found: Record<string, readonly string[]> = {};

  const partsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type]);
  const typeOf = (symbol: ts.Symbol): ts.Type => checker.getTypeOfSymbolAtLocation(symbol, source);

  function kindOf(type: ts.Type): string {
    const base = type.isIntersection() ? (type.types.find(({ flags }) => flags & PRIMITIVE) ?? type) : type;
    if (base.flags & (PRIMITIVE | ts.TypeFlags.Unknown)) return checker.typeToString(base);
    return checker.isArrayLikeType(base) ? 'array' : 'object';
  }

  /** @param absent whether a member may be absent */
  function describe(path: string, types: readonly ts.Type[], absent: boolean): void {
    const parts = types.flatMap(partsOf);
    const kinds = new Set([...parts.map(kindOf), ...(absent ? ['undefined'] : [])]);
    found[path] = [...kinds].sort();
    // A type that contains itself, as JSON does, ends somewhere.
    if (path.split(/[.[]/).length > 8) return;
    const lists = parts.filter((type) => kindOf(type) === 'array');
    const items = lists.flatMap((type) => checker.getIndexTypeOfType(type, ts.IndexKind.Number) ?? []);
    if (items.length > 0) describe(`${path}[]`, items, false);
    describeMembers(
      path,
      parts.filter((type) => kindOf(type) === 'object'),
    );
  }

  function describeMembers(path: string, objects: readonly ts.Type[]): void {
    const names = new Set(objects.flatMap((type) => type.getProperties().map(({ name }) => name)));
    for (const name of names) {
      const members = objects.flatMap((type) => type.getProperty(name) ?? []);
      const absent = members.length < objects.length || members.some(({ flags }) => flags & ts.SymbolFlags.Optional);
      describe(`${path}.${name}`, members.map(typeOf), absent);
    }
  }

  const data = new Map<string, ts.Type[]>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportSpecifier(node) && node.name.text.endsWith('Event') && node.name.text !== 'DomainEvent') {
      const symbol = checker.getAliasedSymbol(checker.getSymbolAtLocation(node.name)!);
      for (const event of partsOf(checker.getDeclaredTypeOfSymbol(symbol))) {
        for (const type of partsOf(typeOf(event.getProperty('type')!))) {
          const name = (type as ts.StringLiteralType).value;
          data.set(name, [...(data.get(name) ?? []), typeOf(event.getProperty('data')!)]);
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  for (const [name, types] of data) describe(name, types, false);
  return Object.fromEntries(Object.entries(found).sort(([one], [other]) => (one < other ? -1 : 1)));
}

const WIDE: Readonly<Record<string, RegExp>> = { string: /^"/, number: /^-?\d/, boolean: /^(true|false)$/ };

/** Lists the members that take less than a former release has stored; new members must be optional. */
export function shrunk(former: EventTypes, present: EventTypes): string[] {
  const takes = (kinds: readonly string[], kind: string) =>
    kinds.includes(kind) || kinds.some((wide) => WIDE[wide]?.test(kind));
  const less = Object.entries(former).flatMap(([path, kinds]) => {
    const now = present[path];
    if (now === undefined) return [`${path} is gone`];
    return kinds.flatMap((kind) => {
      if (takes(now, kind)) return [];
      return kind === 'undefined' ? [`${path} became required`] : [`${path} no longer takes ${kind}`];
    });
  });
  const added = Object.entries(present).flatMap(([path, kinds]) => {
    const isNew = former[path] === undefined && former[path.replace(/(\.[^.[]*|\[\])$/, '')] !== undefined;
    return isNew && !path.endsWith('[]') && !kinds.includes('undefined') ? [`${path} is new and required`] : [];
  });
  return [...less, ...added];
}

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { describePlane, type OpenApiDocument, type OperationObject } from '@sluice/openapi';
import { ALL_PLANES } from './planes';

interface DescribedRoute {
  readonly plane: string;
  readonly method: string;
  readonly path: RegExp;
  readonly parameters: number;
  readonly operation: OperationObject;
}

const ajv = addFormats(new Ajv2020({ allErrors: true, strict: false }));
const documents = Object.entries(ALL_PLANES).map(([plane, described]) => [plane, describePlane(described)] as const);
for (const [plane, document] of documents) ajv.addSchema({ $id: `plane:${plane}`, ...document });
const routes = documents
  .flatMap(([plane, document]) => routesOf(plane, document))
  .sort((a, b) => a.parameters - b.parameters);
const validators = new Map<string, ValidateFunction>();

/**
 * Holds an answer to the description of its plane; an address that no plane describes passes.
 * @throws Error that names the operation and the fault, when the status is not described or the body does not fit
 */
export function expectDescribed(method: string, url: string, status: number, body: unknown): void {
  const { pathname } = new URL(url);
  const route = routes.find((each) => each.method === method.toLowerCase() && each.path.test(pathname));
  if (route === undefined) return;
  const told = `${method} ${pathname} (${route.operation.operationId} of ${route.plane}) answered ${status}`;
  const response = route.operation.responses[String(status)];
  if (response === undefined) throw new Error(`${told}, which its description does not know: ${JSON.stringify(body)}`);
  const schema = response.content?.['application/json']?.schema;
  if (schema === undefined || method === 'HEAD') return;

  const key = `${route.plane} ${route.operation.operationId} ${status}`;
  const validate = validators.get(key) ?? ajv.compile(withBase(schema, route.plane));
  validators.set(key, validate);
  if (validate(body)) return;
  throw new Error(`${told}, and its body does not fit: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`);
}

/** References within a description are to that description. */
function withBase(schema: object, plane: string): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"plane:${plane}#/`)) as object;
}

function routesOf(plane: string, { servers, paths }: OpenApiDocument): DescribedRoute[] {
  return Object.entries(paths).flatMap(([path, methods]) => {
    const pattern = `${servers[0]?.url ?? ''}${path}`.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+');
    const parameters = path.split('{').length - 1;
    return Object.entries(methods).map(([method, operation]) => ({
      plane,
      method,
      path: new RegExp(`^${pattern}$`),
      parameters,
      operation,
    }));
  });
}

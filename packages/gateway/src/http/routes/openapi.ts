/** The description of the API (OpenAPI 3.1), made from the schemas that validate. Keeps API-1. */
import { ROUTE_ROLES, VERSION } from '@spool/protocol';
import { z } from 'zod';
import { problem } from './answers.ts';
import type { Route } from './route.ts';

export function openApi(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Spool', version: VERSION },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operation({ method, path, summary, query, body, answer, answerType }: Route): object {
  const role = ROUTE_ROLES[`${method} ${path}` as keyof typeof ROUTE_ROLES];
  return {
    summary,
    description: role === 'asked' ? BY_LINK : `Needs the role ${role}.`,
    parameters: [...pathParameters(path), ...(query ? queryParameters(query) : [])],
    ...(body && { requestBody: { required: true, content: typed(body, 'input') } }),
    responses: {
      200: { description: 'done', content: typed(answer, 'output', answerType) },
      default: {
        description: 'a problem',
        content: { 'application/problem+json': { schema: schemaOf(problem, 'output') } },
      },
    },
  };
}

const BY_LINK = 'Needs the role prompter, or the token of the action in a notification, which works once.';

function pathParameters(path: string): object[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodType): object[] {
  const { properties = {}, required = [] } = schemaOf(query, 'input') as {
    properties?: Record<string, object>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}

function typed(schema: z.ZodType, io: 'input' | 'output', type = 'application/json'): object {
  return { [type]: { schema: schemaOf(schema, io) } };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema: _version, ...made } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return made;
}

import { MEDIA_TYPES } from '../../src/gateway/request/media.js';
import { FORMS } from '../../src/gateway/response/decision.js';
import { refTo, type JsonSchema } from './jsonschema.js';

export const AS_PARAMETER: JsonSchema = {
  name: 'as',
  in: 'query',
  description:
    'The reader by whose contract the decision is written: the plugin generator of Argo CD, an ExternalService of Flux Operator, or http_sd_configs of Prometheus; json is the form of this interface. Without it, the decision is in this form too, as YAML if that is asked for. There is no other query.',
  schema: { enum: FORMS },
};

export const PLUGIN_REQUEST: JsonSchema = {
  required: true,
  description: 'The parameters of the ApplicationSet. They are not used: the path names the placement.',
  content: { 'application/json': { schema: { type: 'object' } } },
};

const TEXTS: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } };
const clusters = (key: string, description: string): JsonSchema => ({
  type: 'array',
  description,
  items: {
    ...TEXTS,
    required: [key],
    description: 'A selected cluster, with the fields of its item in the decision objects.',
  },
});

function documentOf(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', description, required: Object.keys(properties), properties, additionalProperties: false };
}

export const DECISION_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Decision: documentOf('The decision of a placement.', {
    namespace: { type: 'string', description: 'The namespace of the placement.' },
    placement: { type: 'string', description: 'The name of the placement.' },
    numberOfClusters: { type: 'integer', description: 'How many clusters are selected.' },
    decisions: clusters('clusterName', 'The selected clusters, in order.'),
  }),
  PluginResponse: documentOf('The response of a plugin of Argo CD.', {
    output: documentOf('The output of the plugin.', {
      parameters: clusters('clusterName', 'The parameters of each Application.'),
    }),
  }),
  ExternalInputs: documentOf('The response of an ExternalService of Flux Operator.', {
    inputs: clusters('id', 'The inputs; the id of each is the name of the cluster.'),
  }),
  TargetGroups: {
    type: 'array',
    description: 'Target groups of Prometheus, one for each cluster.',
    items: documentOf('The address is the name of the cluster: replace it by relabeling.', {
      targets: { type: 'array', items: { type: 'string' }, description: 'One address.' },
      labels: { ...TEXTS, description: 'Labels that begin with __meta_multicluster_.' },
    }),
  },
};

/** The media types of the answer. Only the form of this interface can be YAML. */
export function decisionContent(action: 'decision' | 'parameters'): JsonSchema {
  if (action === 'parameters') return { 'application/json': { schema: refTo('PluginResponse') } };
  const forms = ['Decision', 'PluginResponse', 'ExternalInputs', 'TargetGroups'].map(refTo);
  const schemaOf = (format: string): JsonSchema => (format === 'yaml' ? refTo('Decision') : { oneOf: forms });
  return Object.fromEntries(MEDIA_TYPES.map(({ name, format }) => [name, { schema: schemaOf(format) }]));
}

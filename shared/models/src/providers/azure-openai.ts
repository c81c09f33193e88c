import { z } from 'zod';
import { readFinishReason, prepareOpenAi, toOpenAiOptions } from './openai.ts';
import { flattenSystem, type Provider } from './provider.ts';

export const AzureOpenAiConfig = z.object({
  /** The API key of the Azure OpenAI resource. */
  AZURE_OPENAI_API_KEY: z.string().optional().meta({ secret: true }),
  /** The address of the Azure OpenAI resource, such as https://name.openai.azure.com. */
  AZURE_OPENAI_ENDPOINT: z.url().optional(),
  /** The name of the deployment, which is what Azure calls a model. */
  AZURE_OPENAI_DEPLOYMENT: z.string().optional(),
  /** The version of Azure's API. */
  AZURE_OPENAI_API_VERSION: z.string().default('2024-10-21'),
});

/** The provider for OpenAI's models in an Azure resource. The model name is the name of a deployment. */
export const azureOpenai: Provider = {
  id: 'azure_openai',
  variables: { key: 'AZURE_OPENAI_API_KEY', url: 'AZURE_OPENAI_ENDPOINT', model: 'AZURE_OPENAI_DEPLOYMENT' },
  read: (config) => {
    const variables = AzureOpenAiConfig.parse(config);
    const { AZURE_OPENAI_API_KEY: apiKey, AZURE_OPENAI_ENDPOINT: endpoint } = variables;
    // The API version is stored in the address, because other providers have no version.
    const url = new URL(endpoint ?? 'https://unset.invalid');
    url.searchParams.set('api-version', variables.AZURE_OPENAI_API_VERSION);
    return {
      chosen: apiKey !== undefined && endpoint !== undefined,
      missing: [
        ...(apiKey === undefined ? ['needs AZURE_OPENAI_API_KEY'] : []),
        ...(endpoint === undefined ? ['needs AZURE_OPENAI_ENDPOINT'] : []),
      ],
      apiKey: apiKey ?? null,
      baseURL: url.href,
      model: variables.AZURE_OPENAI_DEPLOYMENT ?? null,
    };
  },
  open: async ({ model, apiKey, baseURL }) => {
    const { AzureChatOpenAI } = await import('@langchain/openai');
    const url = new URL(baseURL);
    return {
      client: (call, fetch) => {
        const client = new AzureChatOpenAI({
          model,
          azureOpenAIApiKey: apiKey ?? '',
          azureOpenAIEndpoint: `${url.origin}${url.pathname}`.replace(/\/+$/, ''),
          azureOpenAIApiDeploymentName: model,
          azureOpenAIApiVersion: url.searchParams.get('api-version') ?? '',
          maxRetries: 0,
          configuration: { fetch },
          ...toOpenAiOptions(call),
        });
        return prepareOpenAi(client, call, true);
      },
      arrange: flattenSystem,
      endOf: readFinishReason,
      temperature: 0,
    };
  },
};

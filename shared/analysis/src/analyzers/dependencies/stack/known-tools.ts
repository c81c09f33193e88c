import type { Ecosystem } from '../../../advisory-source.ts';

/** Display name of a tool, and the packages that reveal the tool; `*` matches any ending. */
type Table = Readonly<Record<string, string>>;

const NPM: Readonly<Record<string, Table>> = {
  frameworks: {
    React: 'react',
    Preact: 'preact',
    'Next.js': 'next',
    Remix: '@remix-run/*',
    Vue: 'vue',
    Nuxt: 'nuxt',
    Angular: '@angular/core',
    Svelte: 'svelte',
    SvelteKit: '@sveltejs/kit',
    Solid: 'solid-js',
    Astro: 'astro',
    Express: 'express',
    Fastify: 'fastify',
    Koa: 'koa',
    NestJS: '@nestjs/core',
    Hono: 'hono',
    Electron: 'electron',
    'React Native': 'react-native',
    grammY: 'grammy',
    Telegraf: 'telegraf',
  },
  build: {
    Vite: 'vite',
    webpack: 'webpack',
    Rollup: 'rollup',
    esbuild: 'esbuild',
    TypeScript: 'typescript',
    Babel: '@babel/core',
    Turborepo: 'turbo',
    Nx: 'nx',
  },
  tests: {
    Vitest: 'vitest',
    Jest: 'jest',
    Mocha: 'mocha',
    AVA: 'ava',
    tap: 'tap',
    Playwright: '@playwright/test playwright',
    Cypress: 'cypress',
    Jasmine: 'jasmine jasmine-core',
    Karma: 'karma',
  },
  linters: {
    ESLint: 'eslint',
    Biome: '@biomejs/biome',
    oxlint: 'oxlint',
    Prettier: 'prettier',
    Stylelint: 'stylelint',
  },
  databases: {
    PostgreSQL: 'pg postgres',
    MySQL: 'mysql mysql2',
    SQLite: 'sqlite3 better-sqlite3',
    MongoDB: 'mongodb mongoose',
    Redis: 'redis ioredis',
    Prisma: 'prisma @prisma/client',
    TypeORM: 'typeorm',
    Sequelize: 'sequelize',
    Drizzle: 'drizzle-orm',
    Kysely: 'kysely',
    BullMQ: 'bullmq',
    Kafka: 'kafkajs',
  },
};
const PYPI: Readonly<Record<string, Table>> = {
  frameworks: {
    Django: 'django',
    'Django REST framework': 'djangorestframework',
    Flask: 'flask',
    FastAPI: 'fastapi',
    Starlette: 'starlette',
    Tornado: 'tornado',
    aiohttp: 'aiohttp',
    Celery: 'celery',
    Scrapy: 'scrapy',
    Streamlit: 'streamlit',
    PyTorch: 'torch',
    TensorFlow: 'tensorflow',
    pandas: 'pandas',
    NumPy: 'numpy',
    LangChain: 'langchain',
  },
  tests: { pytest: 'pytest', tox: 'tox', nox: 'nox', Hypothesis: 'hypothesis' },
  linters: { Ruff: 'ruff', Flake8: 'flake8', Pylint: 'pylint', Black: 'black', mypy: 'mypy', Pyright: 'pyright' },
  databases: {
    PostgreSQL: 'psycopg psycopg2 psycopg2-binary asyncpg',
    MySQL: 'mysqlclient pymysql',
    MongoDB: 'pymongo motor',
    Redis: 'redis',
    SQLAlchemy: 'sqlalchemy',
    Kafka: 'kafka-python confluent-kafka',
    Elasticsearch: 'elasticsearch',
  },
};
const GO: Readonly<Record<string, Table>> = {
  frameworks: {
    Gin: 'github.com/gin-gonic/gin',
    Echo: 'github.com/labstack/echo*',
    Fiber: 'github.com/gofiber/fiber*',
    chi: 'github.com/go-chi/chi*',
    gRPC: 'google.golang.org/grpc',
    Cobra: 'github.com/spf13/cobra',
  },
  tests: { Testify: 'github.com/stretchr/testify', Ginkgo: 'github.com/onsi/ginkgo*' },
  databases: {
    PostgreSQL: 'github.com/lib/pq github.com/jackc/pgx*',
    MySQL: 'github.com/go-sql-driver/mysql',
    SQLite: 'github.com/mattn/go-sqlite3 modernc.org/sqlite',
    Redis: 'github.com/redis/go-redis* github.com/go-redis/redis*',
    MongoDB: 'go.mongodb.org/mongo-driver*',
    GORM: 'gorm.io/gorm',
  },
};
const CRATES: Readonly<Record<string, Table>> = {
  frameworks: {
    Axum: 'axum',
    'Actix Web': 'actix-web',
    Rocket: 'rocket',
    Warp: 'warp',
    Tokio: 'tokio',
    Tauri: 'tauri',
    Bevy: 'bevy',
    clap: 'clap',
  },
  tests: { Criterion: 'criterion', proptest: 'proptest' },
  databases: {
    SQLx: 'sqlx',
    Diesel: 'diesel',
    PostgreSQL: 'tokio-postgres postgres',
    Redis: 'redis',
    SQLite: 'rusqlite',
  },
};

const KNOWN_TOOLS: Readonly<Partial<Record<Ecosystem, Readonly<Record<string, Table>>>>> = {
  npm: NPM,
  PyPI: PYPI,
  Go: GO,
  'crates.io': CRATES,
};

export const TOOL_FILES: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  ci: {
    'GitHub Actions': /^\.github\/workflows\/[^/]+\.ya?ml$/,
    'GitLab CI': /^\.gitlab-ci\.yml$/,
    CircleCI: /^\.circleci\/config\.yml$/,
    Jenkins: /^Jenkinsfile$/,
    'Travis CI': /^\.travis\.yml$/,
    'Azure Pipelines': /^azure-pipelines\.yml$/,
    Drone: /^\.drone\.yml$/,
    Dependabot: /^\.github\/dependabot\.ya?ml$/,
    Renovate: /^(?:\.github\/)?(?:renovate\.json5?|\.renovaterc(?:\.json)?)$/,
  },
  containers: {
    Docker: /(?:^|\/)(?:Dockerfile(?:\.[\w-]+)?|Containerfile)$/,
    'Docker Compose': /(?:^|\/)(?:docker-)?compose(?:\.[\w-]+)?\.ya?ml$/,
    Helm: /(?:^|\/)Chart\.yaml$/,
    Kustomize: /(?:^|\/)kustomization\.ya?ml$/,
    Terraform: /\.tf$/,
    Ansible: /(?:^|\/)ansible\.cfg$/,
  },
  build: {
    Make: /^(?:GNUm|M|m)akefile$/,
    CMake: /^CMakeLists\.txt$/,
    Maven: /(?:^|\/)pom\.xml$/,
    Gradle: /(?:^|\/)build\.gradle(?:\.kts)?$/,
    Bazel: /^(?:MODULE\.bazel|WORKSPACE)$/,
    '.NET': /\.(?:cs|fs|vb)proj$/,
    Bundler: /(?:^|\/)Gemfile$/,
    Composer: /(?:^|\/)composer\.json$/,
    'Swift Package Manager': /(?:^|\/)Package\.swift$/,
    Mix: /(?:^|\/)mix\.exs$/,
  },
  entryPoints: {
    Go: /^(?:main\.go|cmd\/[^/]+\/main\.go)$/,
    Rust: /(?:^|\/)src\/(?:main\.rs|bin\/[^/]+\.rs)$/,
    Python: /^(?:[^/]+\/)?(?:manage|__main__|wsgi|asgi|app|main)\.py$/,
    Node: /^(?:[^/]+\/){0,2}(?:src\/)?(?:main|server|index|app)\.[cm]?[jt]s$/,
    Java: /Application\.(?:java|kt)$/,
  },
};

/** Returns the names and kinds of the tools that a dependency reveals. */
export function findTools(ecosystem: Ecosystem, name: string): readonly (readonly [kind: string, tool: string])[] {
  return Object.entries(KNOWN_TOOLS[ecosystem] ?? {}).flatMap(([kind, tools]) =>
    Object.entries(tools)
      .filter(([, names]) =>
        names.split(' ').some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name)),
      )
      .map(([tool]) => [kind, tool] as const),
  );
}

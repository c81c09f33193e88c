import { toolGroup } from '../tools/tool.ts';
import {
  acceptFinding,
  explainFinding,
  getFindingsReport,
  listFindings,
  reopenFinding,
} from './repository/findings.ts';
import { listRepositories } from './repository/overview.ts';
import { readRepositoryFile, searchRepository } from './repository/reading.ts';
import { listRelationships } from './repository/relationships.ts';
import { createChainTool } from './repository/scans.ts';
import { listSnapshots, makeSnapshot, restoreSnapshot } from './repository/snapshots.ts';
import { removeTag, tagProject } from './repository/tags.ts';

export default toolGroup({
  name: 'repository',
  summary:
    'The code of a project: read and search files; secrets, dependencies, debt, documentation; findings, decisions, reports.',
  uses: ['projects', 'repositories'],
  tools: {
    scan_for_secrets: createChainTool(
      'security_scan',
      'Scan the repository of a project for secrets and risks: keys and passwords, now and in its history, and risky settings.',
      [
        'scan the shop repository for secrets',
        'scan shop for secrets',
        'are there passwords in the code of blog',
        'security scan of shop',
        'check the repository of shop for leaked keys',
        'is there a secret in the repository of blog',
      ],
    ),
    audit_dependencies: createChainTool(
      'dependency_audit',
      'Audit the dependencies of a project: lock files, known weaknesses, licenses, versions.',
      [
        'audit the dependencies of shop',
        'are the dependencies of shop safe',
        'which dependencies of blog have known weaknesses',
        'check the licences of the dependencies of shop',
        'dependency audit of shop',
        'look for outdated and unsafe dependencies in blog',
      ],
    ),
    analyze_technical_debt: createChainTool(
      'tech_debt',
      'Analyze the technical debt of a project: complexity, hot spots, copied code, missing tests, and a plan of refactorings.',
      [
        'what is the technical debt of shop',
        'what is our technical debt',
        'analyze the tech debt of blog',
        'where is the code of shop bad',
        'what should we refactor in shop',
        'find hot spots and copied code in shop',
      ],
    ),
    audit_documentation: createChainTool(
      'doc_generation',
      'Audit the documentation of a project: README, dead links, missing parts, and write an outline of what is there.',
      [
        'audit the documentation of shop',
        'are there dead links in the docs of blog',
        'is the documentation of shop complete',
        'what is missing in the docs of shop',
        'documentation audit of blog',
        'check the README of shop',
      ],
    ),
    look_over_repository: createChainTool(
      'discovery_analysis',
      'Give an overview of the repository of a project: size, languages, frameworks, history and a health score.',
      [
        'give me an overview of the repository of shop',
        'what is the repository of blog made of',
        'which languages and frameworks does shop use',
        'how healthy is the code of shop',
        'analyze the repository of shop',
        'repository overview of blog',
      ],
    ),
    analyze_everything: createChainTool(
      'full_analysis',
      'Run every analysis of the repository of a project: security, dependencies, debt, documentation, health.',
      [
        'full analysis of shop',
        'analyze everything in the repository of shop',
        'run all scans on blog',
        'do a complete analysis of the code of shop',
        'run every analysis of shop',
        'analyze shop completely',
      ],
    ),
    read_repository_file: readRepositoryFile,
    search_repository: searchRepository,
    list_findings: listFindings,
    explain_finding: explainFinding,
    accept_finding: acceptFinding,
    reopen_finding: reopenFinding,
    get_findings_report: getFindingsReport,
    make_snapshot: makeSnapshot,
    list_snapshots: listSnapshots,
    restore_snapshot: restoreSnapshot,
    list_repositories: listRepositories,
    tag_project: tagProject,
    remove_tag: removeTag,
    list_relationships: listRelationships,
  },
});

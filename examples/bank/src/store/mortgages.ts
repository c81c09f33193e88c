import { AppError } from '@signalbox/contracts/errors';
import { newId } from '@signalbox/contracts/ids';
import type { Pool } from '@signalbox/store/pool';
import { findRow, listRows, sql } from '@signalbox/store/sql';

/** A mortgage product. Decimal numbers are text, which keeps them exact. */
export interface MortgageProductRow {
  readonly productId: string;
  readonly fixYears: number;
  /** Highest loan in percent of the property's value. */
  readonly maxLtv: string;
  /** Interest rate in percent per year. */
  readonly rate: string;
  readonly followOnRate: string;
  readonly fee: string;
  readonly currency: string;
}

export interface AddressRow {
  readonly addressId: string;
  readonly house: string;
  readonly street: string;
  readonly town: string;
  readonly postcode: string;
}

export interface BranchRequestRow {
  readonly requestId: string;
  readonly requestedAt: Date;
}

const PRODUCTS_LISTED = 6;

const REQUEST = sql`r.request_id as "requestId", r.requested_at as "requestedAt"`;

/** Mortgages in Postgres. The only write is a branch visit, which is idempotent by action id. */
export function createMortgages(pool: Pool) {
  return {
    /**
     * Lists products for a loan, lowest rate first. Compares the share of the property value exactly. `isExisting`: null when it is
     * unknown whether the person is a customer.
     */
    listProducts(requested: {
      readonly propertyValue: string;
      readonly loanBalance: string;
      readonly fixYears: number;
      readonly isExisting: boolean | null;
    }): Promise<readonly MortgageProductRow[]> {
      const { propertyValue, loanBalance, fixYears, isExisting } = requested;
      const customers = isExisting ? 'existing' : 'new';
      return listRows<MortgageProductRow>(pool)`
        select p.product_id as "productId", p.fix_years as "fixYears", p.max_ltv as "maxLtv", p.rate, p.follow_on_rate as "followOnRate",
               p.fee, p.currency
          from mortgage_products p
         where p.is_offered and p.fix_years = ${fixYears}
           and p.max_ltv * ${propertyValue}::numeric >= ${loanBalance}::numeric * 100
           and ${loanBalance}::numeric between p.min_loan and p.max_loan
           and (p.customers = 'all' or (${isExisting}::boolean is not null and p.customers = ${customers}))
         order by p.rate, p.fee, p.product_id limit ${PRODUCTS_LISTED}`;
    },

    /** Lists the fixed-rate periods on offer, in years. */
    async listFixes(): Promise<readonly number[]> {
      const rows = await listRows<{ readonly years: number }>(pool)`
        select distinct fix_years as years from mortgage_products where is_offered order by years`;
      return rows.map(({ years }) => years);
    },

    /** Finds a property in the register. `postcode`: upper case without spaces; `house`: lower case. */
    findAddress(postcode: string, house: string): Promise<AddressRow | null> {
      return findRow<AddressRow>(pool)`
        select address_id as "addressId", house, street, town, postcode from mortgage_addresses
         where postcode = ${postcode} and house = ${house}`;
    },

    /** Records a request for a visit to a branch. Idempotent. Throws NOT_FOUND for an unknown product. */
    async requestBranch(
      { userKey, productId }: { readonly userKey: string; readonly productId: string | null },
      actionId: string,
    ): Promise<BranchRequestRow> {
      const added = await findRow<BranchRequestRow>(pool)`
        insert into mortgage_branch_requests as r (action_id, request_id, user_key, product_id)
        select ${actionId}, ${newId('visit')}, ${userKey}, ${productId}::text
         where ${productId}::text is null or exists (select 1 from mortgage_products p where p.product_id = ${productId})
        on conflict (action_id) do nothing returning ${REQUEST}`;
      const found = added ?? (await findBranchRequest(pool, actionId));
      if (!found) throw new AppError('NOT_FOUND', { kind: 'product', name: productId ?? '', known: 'those on offer' });
      return found;
    },

    branchRequest: (actionId: string): Promise<BranchRequestRow | null> => findBranchRequest(pool, actionId),
  };
}

function findBranchRequest(pool: Pool, actionId: string): Promise<BranchRequestRow | null> {
  return findRow<BranchRequestRow>(pool)`
    select ${REQUEST} from mortgage_branch_requests r where r.action_id = ${actionId}`;
}

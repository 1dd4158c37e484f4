// What a client of the bookstore reads and writes, in the generated types.
import type { components, paths } from "./bookstore-api-v2-openapi";

type Page = paths["/v2/books"]["get"]["responses"]["200"]["content"]["application/json"];
type NewOrder = NonNullable<paths["/v2/orders"]["post"]["requestBody"]>["content"]["application/json"];
type Refusal = paths["/v2/export"]["get"]["responses"]["429"];

export const order: NewOrder = { lines: [{ isbn: "9780131103627", quantity: 1 }] };

export function total(page: Page): number {
  return page.items.reduce((sum, book) => sum + book.price.amount * book.stock, 0);
}

export function wait(refusal: Refusal): number | undefined {
  const problem: components["schemas"]["RateLimitError"] = refusal.content["application/problem+json"];
  return refusal.headers["Retry-After"] ?? problem.retryAfter;
}

// @ts-expect-error an order has lines
export const broken: NewOrder = { lines: "none" };

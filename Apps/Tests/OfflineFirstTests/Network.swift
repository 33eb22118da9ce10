import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

func fetchFromNetwork(_ baseURL: String, token: String?) async throws -> [Landmark] {
  guard let url = URL(string: "\(baseURL)/landmarks") else { throw URLError(.badURL) }
  var request = URLRequest(url: url)
  if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
  let (data, _) = try await URLSession.shared.data(for: request)
  return try JSONDecoder().decode([LandmarkResponse].self, from: data).map { $0.toDomain() }
}
